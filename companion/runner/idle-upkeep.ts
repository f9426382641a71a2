import { pruneBlobs } from '../collection/blobs/prune.ts';
import { checkBlobs } from '../collection/fixity/check-blobs.ts';
import { FixityThreads } from '../collection/fixity/fixity-threads.ts';
import type { Collection } from '../collection/open-collection.ts';
import { blobsToCheck } from '../collection/records/fixity.ts';
import { expiredSnapshots } from '../collection/records/purge.ts';
import { analyzeTable, checkpoint, noteUpkeep, tablesToAnalyze, upkeepDoneAt } from '../collection/records/upkeep.ts';
import { purgeExpired } from '../collection/trash.ts';
import type { Logger } from '../log/logger.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What is looked after while nothing else is due, and how often. */
const intervals = { checkpoint: HOUR_MS, orphans: DAY_MS, statistics: DAY_MS, fixity: HOUR_MS } as const;
type Task = keyof typeof intervals;

/** Every byte is read again within this time; each hour a share of what is due. */
const fixityCycleMs = 91 * DAY_MS;
const blobsPerLook = 8;
/** One turn of fixity ends after so long; the next comes with the next hour. */
const fixityTurnMs = 60_000;

/** Where there was other work, upkeep keeps away for so long instead of beginning anew at every pause of it. */
const pauseMs = 60_000;

export interface UpkeepOptions {
  collection: Collection;
  log: Logger;
  now?: () => number;
}

/**
 * Idle upkeep of a collection (DESIGN section 4): deleting what is past its time, checkpoints, statistics, bytes
 * without rows, and reading a share of the bytes again. In the runner, on its own connection, reading in a thread;
 * every task goes in small steps and stops when there is work.
 */
export class IdleUpkeep {
  private readonly collection: Collection;
  private readonly log: Logger;
  private readonly now: () => number;
  private threads: FixityThreads | undefined;
  private notBefore = 0;
  /** After a failure: deleting for good otherwise begins at once. */
  private purgeNotBefore = 0;

  constructor(options: UpkeepOptions) {
    this.collection = options.collection;
    this.log = options.log;
    this.now = options.now ?? Date.now;
  }

  /** Does one task that is due; true when there was one. A failure is logged and the task comes again when due next. */
  async step(isIdle: () => boolean): Promise<boolean> {
    const { db } = this.collection;
    const mayPurge = this.now() >= this.purgeNotBefore;
    if (mayPurge && expiredSnapshots(db, this.now(), 1).length > 0) return this.purge(isIdle);
    const task = (Object.keys(intervals) as Task[]).find(
      (name) => this.now() - upkeepDoneAt(db, name) >= intervals[name],
    );
    if (!task || this.now() < this.notBefore) return false;
    try {
      const isDone = await this.tasks[task](isIdle);
      if (!isDone) {
        this.notBefore = this.now() + pauseMs;
        return false;
      }
    } catch (error) {
      this.log.error({ err: error, task }, 'a task of upkeep failed; it comes again when it is due next');
    }
    await db.write(() => noteUpkeep(db, task, this.now()));
    return true;
  }

  private async purge(isIdle: () => boolean): Promise<boolean> {
    try {
      const purged = await purgeExpired(this.collection, { now: this.now(), isWanted: isIdle });
      if (purged > 0) this.log.info({ pages: purged }, 'pages past their time were deleted for good');
      return purged > 0;
    } catch (error) {
      this.log.error({ err: error }, 'pages past their time could not be deleted; tried again in a minute');
      this.purgeNotBefore = this.now() + pauseMs;
      return false;
    }
  }

  /** Each answers whether it got to its end. */
  private readonly tasks: Record<Task, (isIdle: () => boolean) => Promise<boolean>> = {
    checkpoint: async () => {
      checkpoint(this.collection.db);
      return true;
    },
    statistics: async (isIdle) => {
      for (const table of tablesToAnalyze(this.collection.db)) {
        if (!isIdle()) return false;
        await analyzeTable(this.collection.db, table);
      }
      return true;
    },
    orphans: async (isIdle) => {
      const pruned = await pruneBlobs(this.collection, { now: this.now(), isWanted: isIdle });
      if (pruned.blobs > 0) this.log.info(pruned, 'bytes that nothing refers to were removed');
      return isIdle();
    },
    fixity: (isIdle) => this.readAgain(isIdle),
  };

  private async readAgain(isIdle: () => boolean): Promise<boolean> {
    const { db } = this.collection;
    const until = performance.now() + fixityTurnMs;
    this.threads ??= new FixityThreads(1);
    while (performance.now() < until) {
      if (!isIdle()) return false;
      const blobs = blobsToCheck(db, this.now() - fixityCycleMs, blobsPerLook);
      if (blobs.length === 0) return true;
      const { damaged } = await checkBlobs(this.collection, this.threads, blobs, this.now());
      for (const { file, damage } of damaged)
        this.log.error({ file, damage }, 'kept bytes are no longer as they were recorded');
    }
    return true;
  }
}
