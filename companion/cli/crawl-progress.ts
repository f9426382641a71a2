import { uploadHookName, type ResultStatus } from '../../shared/model/states.ts';
import { folderFacts } from '../collection/links.ts';
import type { Collection } from '../collection/open-collection.ts';
import { receiptsOfCrawl, snapshotsOfCrawl } from '../collection/records/crawl-progress.ts';
import { outputsOfResults, resultsOfSnapshots } from '../collection/records/results.ts';
import type { ArchiveResultRow, SnapshotRow } from '../collection/records/tables.ts';
import { paint, printable } from './output.ts';

/** A crawl of more pages is told by its first ones. */
const watchedMax = 500;
const shownStates = new Set<ResultStatus>(['succeeded', 'failed', 'noresults']);

/**
 * Tells what happens to a crawl from its rows, whoever does the work: a line when a page is begun and when it is done,
 * and one for each step that ended.
 */
export class CrawlProgress {
  private readonly collection: Collection;
  private readonly crawlId: string;
  private readonly say: (line: string) => void;
  private readonly stopListening: () => void;
  private readonly toldStates = new Map<string, string>();
  private readonly toldSteps = new Set<string>();

  constructor(collection: Collection, crawlId: string, say: (line: string) => void) {
    this.collection = collection;
    this.crawlId = crawlId;
    this.say = say;
    this.stopListening = collection.bell.onRing(() => this.look());
    this.look();
  }

  stop(): void {
    this.stopListening();
    this.look();
  }

  /** Prints the address and the folder of each page that was asked for; false when one of them brought nothing. */
  printCopies(print: (line: string) => void): boolean {
    const { collection } = this;
    const refused = receiptsOfCrawl(collection.db, this.crawlId).filter((receipt) => receipt.snapshot_id === null);
    for (const receipt of refused) this.say(receipt.reason);
    const pages = snapshotsOfCrawl(collection.db, this.crawlId, watchedMax).filter((row) => row.depth === 0);
    const empty = pages.filter((page) => page.status === 'sealed' && !this.hasCopy(page));
    for (const page of pages) {
      if (!this.hasCopy(page)) continue;
      print(`${page.url}\t${collection.layout.snapshot(folderFacts(collection, page))}`);
      // Such as an error page that was kept as it is: a copy, but hardly the one that was wanted.
      const remark = this.results(page).find((result) => result.plugin === 'chrome' && result.status === 'noresults');
      if (remark) this.say(`${printable(page.url)}: ${printable(remark.output_str)}.`);
    }
    for (const page of empty) this.say(`${printable(page.url)}: nothing could be kept. ${this.firstFailure(page)}`);
    return empty.length === 0 && refused.length === 0 && pages.length > 0;
  }

  private results(page: SnapshotRow): ArchiveResultRow[] {
    return resultsOfSnapshots(this.collection.db, [page.id]);
  }

  /** Digests of nothing and the browser's notes about a failed load are no copy. */
  private hasCopy(page: SnapshotRow): boolean {
    const kept = this.results(page).filter(
      (result) => result.status === 'succeeded' && !bookkeeping.has(result.plugin),
    );
    const outputs = outputsOfResults(
      this.collection.db,
      kept.map((result) => result.id),
    );
    return [...outputs.values()].some((files) => files.length > 0);
  }

  private firstFailure(page: SnapshotRow): string {
    const failed = this.results(page).filter((result) => result.status === 'failed' && result.error !== null);
    const reason = (failed.find((result) => result.plugin === 'chrome') ?? failed[0])?.error;
    return reason ? printable(reason.split('\n')[0] ?? '') : 'No step that makes a copy of the page has run.';
  }

  private look(): void {
    for (const page of snapshotsOfCrawl(this.collection.db, this.crawlId, watchedMax)) {
      const told = this.toldStates.get(page.id) ?? 'queued';
      if (page.status === 'queued' && told === 'queued') continue;
      if (told === 'sealed') continue;
      if (told === 'queued') this.tellPage('STARTED', page);
      this.tellSteps(page);
      if (page.status === 'sealed' || page.status === 'paused') this.tellPage(page.status.toUpperCase(), page);
      this.toldStates.set(page.id, page.status);
    }
  }

  private tellPage(what: string, page: SnapshotRow): void {
    const ids = `${this.crawlId.slice(-8)} ${page.id.slice(-8)}`;
    this.say(
      `${paint('dim', ids, process.stderr)} ${paint('bold', what.padEnd(7), process.stderr)} ${printable(page.url)}`,
    );
  }

  private tellSteps(page: SnapshotRow): void {
    for (const result of this.results(page)) {
      if (result.hook_name === uploadHookName || !shownStates.has(result.status) || this.toldSteps.has(result.id))
        continue;
      this.toldSteps.add(result.id);
      const words = (result.status === 'failed' ? result.error : result.output_str) ?? '';
      const line = printable(words.split('\n')[0] ?? '').slice(0, 160);
      this.say(`    ${result.plugin.padEnd(20)} ${stateText(result.status)} ${line}`.trimEnd());
    }
  }
}

const bookkeeping = new Set(['chrome', 'hashes', 'headers']);

function stateText(status: ResultStatus): string {
  const text = (status === 'noresults' ? 'nothing' : status).padEnd(9);
  return paint(status === 'failed' ? 'red' : status === 'succeeded' ? 'green' : 'dim', text, process.stderr);
}
