import path from 'node:path';
import { finalResultStatuses } from '../../../shared/model/states.ts';
import type { ArchiveResultRecord, CrawlRecord, SnapshotRecord } from '../../../shared/model/api-records.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import type { Collection } from '../open-collection.ts';
import { isoTime, isoTimeOrNull, parseObject, parseStringList } from './common.ts';
import { outputsOfResults, resultsOfSnapshots } from './results.ts';
import { listSnapshots } from './snapshots.ts';
import { stateSentence } from './state-sentence.ts';
import type { ArchiveResultRow, CrawlRow, OutputRow, SnapshotRow } from './tables.ts';
import { tagsOfSnapshots } from './tags.ts';

type Presenter = Pick<Collection, 'db' | 'layout' | 'owner'>;

/** Rows as the API shows them, with their tags and, on request, their results; a few statements for any number. */
export function presentSnapshots(
  collection: Presenter,
  rows: readonly SnapshotRow[],
  options: { withResults: boolean },
): SnapshotRecord[] {
  const ids = rows.map((row) => row.id);
  const tags = tagsOfSnapshots(collection.db, ids);
  const results = resultsOfSnapshots(collection.db, ids);
  const outputs = outputsOfResults(
    collection.db,
    results.map((result) => result.id),
  );
  return rows.map((row) => {
    const own = results.filter((result) => result.snapshot_id === row.id);
    const rowTags = tags.get(row.id) ?? [];
    const shown = own.map((result) => toArchiveResultRecord(result, row, rowTags, outputs.get(result.id) ?? []));
    return toSnapshotRecord(collection, row, rowTags, shown, options.withResults);
  });
}

/** One result with its files, its snapshot's facts and tags. */
export function presentResult(
  collection: Presenter,
  result: ArchiveResultRow,
  snapshot: SnapshotRow,
): ArchiveResultRecord {
  const tags = tagsOfSnapshots(collection.db, [snapshot.id]).get(snapshot.id) ?? [];
  const outputs = outputsOfResults(collection.db, [result.id]).get(result.id) ?? [];
  return toArchiveResultRecord(result, snapshot, tags, outputs);
}

/** Results of whatever snapshots, in the given order; a few statements for any number. */
export function presentResults(collection: Presenter, results: readonly ArchiveResultRow[]): ArchiveResultRecord[] {
  if (results.length === 0) return [];
  const ids = [...new Set(results.map((result) => result.snapshot_id))];
  const snapshots = new Map(listSnapshots(collection.db, { ids }, ids.length).map((row) => [row.id, row]));
  const tags = tagsOfSnapshots(collection.db, ids);
  const outputs = outputsOfResults(
    collection.db,
    results.map((result) => result.id),
  );
  return results.flatMap((result) => {
    const snapshot = snapshots.get(result.snapshot_id);
    if (!snapshot) return [];
    return [toArchiveResultRecord(result, snapshot, tags.get(snapshot.id) ?? [], outputs.get(result.id) ?? [])];
  });
}

function toSnapshotRecord(
  collection: Presenter,
  row: SnapshotRow,
  tags: string[],
  results: ArchiveResultRecord[],
  withResults: boolean,
): SnapshotRecord {
  const facts = { id: row.id, owner: collection.owner.name, createdAt: row.created_at, url: row.url };
  return {
    TYPE: 'core.models.Snapshot',
    id: row.id,
    created_by_id: row.created_by,
    created_by_username: collection.owner.name,
    created_at: isoTime(row.created_at),
    modified_at: isoTime(row.modified_at),
    revision: row.revision,
    status: row.status,
    retry_at: isoTimeOrNull(row.due_at),
    bookmarked_at: isoTime(row.bookmarked_at),
    downloaded_at: isoTimeOrNull(row.downloaded_at),
    url: row.url,
    crawl_id: row.crawl_id,
    parent_snapshot_id: row.parent_snapshot_id,
    depth: row.depth,
    tags,
    title: row.title,
    title_origin: row.title_origin,
    timestamp: row.timestamp,
    source: row.source,
    permissions: row.permissions,
    expected_captures: parseStringList(row.expected_captures),
    state_sentence: stateSentence(row, results),
    stop_reason: row.stop_reason,
    trouble: row.trouble,
    found_by: row.found_by,
    archive_path: collection.layout.snapshotRelative(facts),
    archive_size: row.output_size,
    output_size: row.output_size,
    num_archiveresults: results.length,
    notes: row.notes,
    trashed_at: isoTimeOrNull(row.trashed_at),
    archiveresults: withResults ? results : [],
  };
}

function toArchiveResultRecord(
  row: ArchiveResultRow,
  snapshot: SnapshotRow,
  tags: string[],
  outputs: readonly OutputRow[],
): ArchiveResultRecord {
  const started = !finalResultStatuses.includes(row.status);
  return {
    TYPE: 'core.models.ArchiveResult',
    id: row.id,
    created_at: isoTime(row.created_at),
    modified_at: isoTime(row.modified_at),
    revision: row.revision,
    status: row.status,
    retry_at: started ? isoTime(row.modified_at) : null,
    plugin: row.plugin,
    hook_name: row.hook_name,
    origin: row.origin,
    process_id: row.process_id,
    cmd_version: '',
    cmd: [],
    pwd: '',
    output_str: row.output_str,
    output_json: row.output_json === null ? null : parseObject(row.output_json),
    output_files: Object.fromEntries(outputs.map((output) => [output.path, toOutputFile(row.id, output)])),
    output_size: outputs.reduce((sum, output) => sum + output.size, 0),
    output_mimetypes: mimetypesBySize(outputs),
    start_ts: isoTimeOrNull(row.started_at),
    end_ts: isoTimeOrNull(row.ended_at),
    error: row.error,
    notes: row.notes,
    snapshot_id: snapshot.id,
    snapshot_timestamp: snapshot.timestamp,
    snapshot_url: snapshot.url,
    snapshot_tags: tags,
  };
}

function toOutputFile(resultId: string, output: OutputRow): ArchiveResultRecord['output_files'][string] {
  const upload = output.upload === null ? undefined : parseObject(output.upload);
  return {
    extension: path.posix.extname(output.path).slice(1).toLowerCase(),
    mimetype: output.mimetype,
    size: output.size,
    digest: output.digest,
    url: routes.resultFile(resultId, output.path),
    ...(upload === undefined ? {} : { upload: upload as ArchiveResultRecord['output_files'][string]['upload'] }),
  };
}

function mimetypesBySize(outputs: readonly OutputRow[]): string {
  const sizes = new Map<string, number>();
  for (const output of outputs) sizes.set(output.mimetype, (sizes.get(output.mimetype) ?? 0) + output.size);
  return [...sizes]
    .sort((a, b) => b[1] - a[1])
    .map(([mimetype]) => mimetype)
    .join(',');
}

/** `urls` holds the submitted text only where the caller has read it from the blob store. */
export function toCrawlRecord(row: CrawlRow, ownerName: string, urls: string): CrawlRecord {
  return {
    TYPE: 'crawls.models.Crawl',
    id: row.id,
    created_at: isoTime(row.created_at),
    modified_at: isoTime(row.modified_at),
    created_by_id: row.created_by,
    created_by_username: ownerName,
    status: row.status,
    stop_reason: row.stop_reason,
    trouble: row.trouble,
    retry_at: isoTimeOrNull(row.due_at),
    is_paused: row.status === 'paused',
    label: row.label,
    urls,
    max_depth: row.max_depth,
    tags_str: row.tags,
    config: redact(parseObject(row.config)),
  };
}

const SENSITIVE = /TOKEN|SECRET|API_?KEY|PASSWORD/i;

/** Without the values of keys that name a secret. */
export function redact(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, SENSITIVE.test(key) ? '********' : value]),
  );
}
