import fs from 'node:fs/promises';
import path from 'node:path';
import { digestHex } from '../../shared/digest/digest.ts';
import type { ArchiveResultRecord, SnapshotRecord } from '../../shared/model/api-records.ts';
import { replaceFile } from './durable-files.ts';
import { indexPage } from './index-page.ts';
import { indexFileNames } from './layout.ts';
import { folderFacts, linkOutputsOfSnapshot, type OutputLink } from './links.ts';
import type { Collection } from './open-collection.ts';
import { findCrawl } from './records/crawls.ts';
import { clearIndexStale } from './records/index-state.ts';
import { presentSnapshots, toCrawlRecord } from './records/present.ts';
import { rowLines } from './records/row-lines.ts';
import { findSnapshot } from './records/snapshots.ts';
import type { SnapshotRow } from './records/tables.ts';

/** Version of the lines in `index.jsonl`; a reader checks it first. */
const indexVersion = 1;

/**
 * Writes the three index files of a snapshot's folder from its rows, each replaced as a whole, and makes links that
 * were missing. A snapshot without outputs has no folder and gets none. `index_stale` is cleared only when the row did
 * not change meanwhile.
 */
export async function writeIndexFiles(collection: Collection, snapshotId: string): Promise<void> {
  const snapshot = findSnapshot(collection.db, snapshotId);
  if (!snapshot) return;
  const { links, files } = await linkOutputsOfSnapshot(collection, snapshot);
  const [record] = presentSnapshots(collection, [snapshot], { withResults: true });
  if (links.length > 0 && record) {
    const folder = collection.layout.snapshot(folderFacts(collection, snapshot));
    await fs.mkdir(folder, { recursive: true });
    await replaceFile(path.join(folder, indexFileNames.manifest), manifestText(files));
    await replaceFile(path.join(folder, indexFileNames.page), indexPage(record, links));
    await replaceFile(path.join(folder, indexFileNames.records), recordLines(collection, snapshot, record));
  }
  await collection.db.write(() => clearIndexStale(collection.db, snapshotId, snapshot.revision));
}

/**
 * Line 1 is the snapshot, then one line for each result with its files, then the crawl it came from; behind them the
 * rows themselves, for `holdfast rebuild`.
 */
function recordLines(collection: Collection, snapshot: SnapshotRow, record: SnapshotRecord): string {
  const { archiveresults, state_sentence: _sentence, TYPE: _type, ...facts } = record;
  const crawl = findCrawl(collection.db, snapshot.crawl_id);
  const head = { schema_version: indexVersion };
  const lines = [
    { type: 'Snapshot', ...head, ...facts, config: JSON.parse(snapshot.config) as unknown },
    ...archiveresults.map((result) => ({ type: 'ArchiveResult', ...head, ...storedResult(result) })),
    ...(crawl
      ? [{ type: 'Crawl', ...head, ...toCrawlRecord(crawl, collection.owner.name, ''), input: crawl.input }]
      : []),
    ...rowLines(collection.db, snapshot),
  ];
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** Without what is only true of this server: download addresses. */
function storedResult(result: ArchiveResultRecord): object {
  const { TYPE: _type, output_files, ...facts } = result;
  const files = Object.entries(output_files).map(([name, { url: _url, ...file }]) => [name, file]);
  return { ...facts, output_files: Object.fromEntries(files) as unknown };
}

/** As `sha256sum` writes it; paths hold no control characters and no backslashes. */
export function manifestText(files: readonly OutputLink[]): string {
  const lines = files.map((link) => `${digestHex(link.digest)}  ${link.plugin}/${link.path}\n`);
  return lines.sort((a, b) => (a.slice(64) < b.slice(64) ? -1 : 1)).join('');
}
