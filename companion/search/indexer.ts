import { setImmediate as breathe } from 'node:timers/promises';
import { Db } from '../collection/database.ts';
import { Layout } from '../collection/layout.ts';
import {
  deletedSnapshotsSince,
  presentSnapshotIds,
  sourcesAfter,
  sourcesChangedSince,
  type SearchSource,
} from '../collection/records/search-sources.ts';
import { PageIndex } from './page-index.ts';
import { openForIndexing, type SearchDatabase } from './search-database.ts';

const pageRows = 100;
/** One transaction of the index, so that a second process that indexes waits no longer. */
const batchMs = 150;

/** Where the comparison of everything stands: first each snapshot, then each page of the index. */
interface Comparison {
  stage: 'snapshots' | 'pages';
  after: string;
}

/**
 * Keeps the index equal to the collection. Two ways: following changes by their time, which is quick, and comparing
 * everything once per start, which finds whatever was missed. Runs in a worker thread.
 */
export class Indexer {
  private readonly layout: Layout;
  private readonly db: Db;
  private database: SearchDatabase;
  private pages: PageIndex;
  private comparison: Comparison | undefined;

  constructor(root: string) {
    this.layout = new Layout(root);
    this.db = new Db(this.layout.database());
    this.database = openForIndexing(this.layout.searchDatabase());
    this.pages = new PageIndex(this.database, this.layout);
  }

  /**
   * Takes in everything that changed since the last look. A transaction may become visible up to `overlapMs` after
   * the time it carries (writers wait for one another), so that much is looked at again; what is known costs a read.
   */
  async followChanges(overlapMs: number): Promise<void> {
    const seen = this.pages.progress('seen');
    let position = { modifiedAt: seen - overlapMs, id: '' };
    for (;;) {
      const sources = sourcesChangedSince(this.db, position, pageRows);
      const last = sources.at(-1);
      if (!last) break;
      await this.takeIn(sources);
      position = { modifiedAt: last.modifiedAt, id: last.id };
    }
    const deleted = deletedSnapshotsSince(this.db, seen - overlapMs);
    if (deleted.length > 0) this.database.transaction(() => deleted.forEach((id) => this.pages.remove(id))).immediate();
    if (position.modifiedAt > seen) this.pages.setProgress('seen', position.modifiedAt);
  }

  /** True until the first look is complete. */
  get isEmpty(): boolean {
    return this.pages.progress('seen') === 0;
  }

  beginComparison(): void {
    this.comparison = { stage: 'snapshots', after: '' };
  }

  get isComparing(): boolean {
    return this.comparison !== undefined;
  }

  /** Compares one page of rows; the caller may do something more urgent between two of them. */
  async compareNext(): Promise<void> {
    const { comparison } = this;
    if (comparison?.stage === 'snapshots') {
      const sources = sourcesAfter(this.db, comparison.after, pageRows);
      const last = sources.at(-1);
      this.comparison = last ? { stage: 'snapshots', after: last.id } : { stage: 'pages', after: '' };
      await this.takeIn(sources);
    } else if (comparison?.stage === 'pages') {
      const ids = this.pages.snapshotIdsAfter(comparison.after, pageRows);
      const last = ids.at(-1);
      this.comparison = last === undefined ? undefined : { stage: 'pages', after: last };
      const present = presentSnapshotIds(this.db, ids);
      const gone = ids.filter((id) => !present.has(id));
      if (gone.length > 0) this.database.transaction(() => gone.forEach((id) => this.pages.remove(id))).immediate();
    }
    await breathe();
  }

  /** Throws the index away and makes an empty one; the next look takes everything in. */
  remake(): void {
    this.database.close();
    this.database = openForIndexing(this.layout.searchDatabase(), { anew: true });
    this.pages = new PageIndex(this.database, this.layout);
    this.comparison = undefined;
  }

  close(): void {
    this.database.close();
    this.db.close();
  }

  private async takeIn(sources: readonly SearchSource[]): Promise<void> {
    const changed = sources.filter((source) => !this.pages.isCurrent(source));
    while (changed.length > 0) {
      this.database
        .transaction(() => {
          const until = performance.now() + batchMs;
          do this.pages.put(changed.shift()!);
          while (changed.length > 0 && performance.now() < until);
        })
        .immediate();
      await breathe();
    }
  }
}
