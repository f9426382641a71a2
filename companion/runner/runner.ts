import { isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { writeIndexFiles } from '../collection/index-file.ts';
import { releaseReserve } from '../collection/open-collection.ts';
import { sealBeyondLimits, snapshotsAtOnce } from '../collection/records/crawl-limits.ts';
import { settleSealedCrawl, tickCrawl } from '../collection/records/crawl-progress.ts';
import { findCrawl } from '../collection/records/crawls.ts';
import {
  deferWaitingSnapshot,
  nextDueAt,
  nextDueWork,
  type DueWork,
  type WorkScope,
} from '../collection/records/due-work.ts';
import { staleSnapshotIds } from '../collection/records/index-state.ts';
import {
  claimCrawl,
  claimSealedSnapshot,
  claimSnapshot,
  postponeCrawl,
  postponeSnapshot,
  releaseCrawl,
  type Lease,
} from '../collection/records/leases.ts';
import { followCrawl } from '../collection/records/requests.ts';
import { findSnapshot } from '../collection/records/snapshots.ts';
import type { CrawlRow, SnapshotRow } from '../collection/records/tables.ts';
import { IdleUpkeep } from './idle-upkeep.ts';
import { parseCrawl } from './parse-crawl.ts';
import { recover } from './recover.ts';
import { runFailure, troubleText } from './run-failure.ts';
import { runSnapshot, type RunOutcome } from './run-snapshot.ts';
import { removeRunFolder } from './run-folder.ts';
import type { RunnerContext } from './runner-context.ts';
import type { RunnerSeat } from './runner-seat.ts';
import { WorkSlots } from './work-slots.ts';

export interface RunnerOptions {
  scope: WorkScope;
  /** True: goes on for ever; false: ends when nothing of the scope is due. */
  daemon: boolean;
  /** Most fetching snapshots at one time, asked anew for each. */
  concurrencyMax: () => number;
}

const staleBatch = 20;
/** Sealed work gets its share: one row after so many rows or so much time of crawl work (DESIGN section 4). */
const crawlRowsBeforeSealed = 4;
const crawlMsBeforeSealed = 2_000;

/** The loop that claims due rows and works on them. Only the active runner of a collection may run one. */
export class Runner {
  private readonly context: RunnerContext;
  private readonly seat: RunnerSeat;
  private readonly options: RunnerOptions;
  private readonly slots: WorkSlots;
  private readonly idleUpkeep: IdleUpkeep;
  private readonly tasks = new Map<string, Promise<void>>();
  private readonly failures: unknown[] = [];
  private crawlRows = 0;
  private lastSealedAt = Date.now();
  private recoveredAt = 0;
  private isRetired = false;
  /** The bell rang since the last look at the rows. */
  private hasRung = true;

  constructor(context: RunnerContext, seat: RunnerSeat, options: RunnerOptions) {
    this.context = context;
    this.seat = seat;
    this.options = options;
    this.slots = new WorkSlots(options.concurrencyMax);
    this.idleUpkeep = new IdleUpkeep(context);
  }

  /** Works until nothing is due (never, for a daemon), until the signal, or until a newer runner retired this one. */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.context.collection.bell.onRing(() => (this.hasRung = true));
    try {
      while (!signal.aborted && !this.isRetired) {
        await this.upkeep();
        this.hasRung = false;
        const work = this.isFailing ? undefined : this.next();
        if (work) await this.begin(work, signal);
        else if (this.tasks.size > 0 || this.options.daemon) await this.waitForChange(signal);
        else if (!(await this.rewriteStaleIndexes())) break;
      }
    } finally {
      await Promise.allSettled(this.tasks.values());
      stopListening();
    }
    if (this.isFailing) throw runFailure(this.failures);
  }

  /** An internal error ends a run that somebody waits for; a daemon has reported it and goes on. */
  private get isFailing(): boolean {
    return this.failures.length > 0 && !this.options.daemon;
  }

  private async upkeep(): Promise<void> {
    const now = Date.now();
    if (now - this.recoveredAt < limits.recoveryIntervalMs) return;
    this.recoveredAt = now;
    this.isRetired = !(await this.seat.beat());
    if (!this.isRetired) await recover(this.context, this.seat.id, this.options.scope);
  }

  /** Nothing rang, and the next heartbeat is not due. */
  private isIdle(signal: AbortSignal): boolean {
    return !this.hasRung && !signal.aborted && Date.now() - this.recoveredAt < limits.recoveryIntervalMs;
  }

  private next(): DueWork | undefined {
    const now = Date.now();
    const isSealedTurn = this.crawlRows >= crawlRowsBeforeSealed || now - this.lastSealedAt >= crawlMsBeforeSealed;
    return nextDueWork(this.context.collection.db, {
      scope: this.options.scope,
      now,
      slotFree: this.slots.isFree,
      fetchSlotFree: this.slots.isFetchFree,
      sealedFirst: isSealedTurn && this.crawlRows > 0,
      crawlSlotFree: !this.tasks.has(parseTask),
      fullCrawls: this.fullCrawls(),
    });
  }

  /** Crawls that have as many snapshots under way as their own configuration allows. */
  private fullCrawls(): string[] {
    return [...this.slots.crawls()]
      .filter(([id, running]) => running >= snapshotsAtOnce(findCrawl(this.db, id)))
      .map(([id]) => id);
  }

  private async begin(work: DueWork, signal: AbortSignal): Promise<void> {
    if (work.kind === 'sealed_snapshot') {
      this.crawlRows = 0;
      this.lastSealedAt = Date.now();
    } else this.crawlRows += 1;
    switch (work.kind) {
      case 'snapshot':
        return this.beginSnapshot(work.snapshot, signal);
      case 'sealed_snapshot':
        return this.beginSealedSnapshot(work.snapshot, signal);
      case 'cancelled_snapshot':
        return this.change(() => followCrawl(this.db, work.snapshot.crawl_id, 'cancel', Date.now()));
      case 'paused_snapshot':
        return this.change(() => followCrawl(this.db, work.snapshot.crawl_id, 'pause', Date.now()));
      case 'queued_crawl':
      case 'started_crawl':
        return this.beginCrawl(work.crawl, signal);
      case 'sealed_crawl':
        await this.change(() => settleSealedCrawl(this.db, work.crawl.id));
        await removeRunFolder(this.context.collection.layout.crawlRun(work.crawl.id, work.crawl.lease_generation));
    }
  }

  private get db() {
    return this.context.collection.db;
  }

  private async change(write: () => unknown): Promise<void> {
    await this.db.write(write);
    this.context.collection.bell.ring();
  }

  private async beginSnapshot(snapshot: SnapshotRow, signal: AbortSignal): Promise<void> {
    const lease = await this.db.write(() => {
      const now = Date.now();
      const row = findSnapshot(this.db, snapshot.id);
      if (!row || deferWaitingSnapshot(this.db, row, now)) return undefined;
      if (row.depth > 0 && row.status === 'queued') {
        if (sealBeyondLimits(this.db, findCrawl(this.db, row.crawl_id)!, now) > 0) return undefined;
      }
      return claimSnapshot(this.db, { id: row.id, owner: this.seat.id, now });
    });
    if (lease) this.startSnapshotTask(snapshot, lease, 'started', signal);
    else await this.noteRefusedClaim();
  }

  private async beginSealedSnapshot(snapshot: SnapshotRow, signal: AbortSignal): Promise<void> {
    const request = { id: snapshot.id, owner: this.seat.id, now: Date.now() };
    const lease = await this.db.write(() => claimSealedSnapshot(this.db, request));
    if (lease) this.startSnapshotTask(snapshot, lease, 'sealed', signal);
    else await this.noteRefusedClaim();
  }

  /** Only the active runner claims; one that was retired must not ask again and again. */
  private async noteRefusedClaim(): Promise<void> {
    this.isRetired = !(await this.seat.beat());
  }

  private startSnapshotTask(snapshot: SnapshotRow, lease: Lease, as: 'started' | 'sealed', signal: AbortSignal): void {
    const kind = snapshot.source === 'browser' ? 'local' : 'fetch';
    // A sealed snapshot may be claimed again while the claim that sealed it still writes its index files.
    const key = `${snapshot.id}-${lease.generation}`;
    this.slots.take(key, { kind, crawlId: snapshot.crawl_id });
    this.tell('STARTED', snapshot);
    const work = async (): Promise<void> => {
      try {
        this.tell(endWords[await runSnapshot(this.context, lease, as, signal)], snapshot);
      } catch (error) {
        await this.giveBack(snapshot, lease, error);
      }
    };
    this.startTask(key, work, () => this.slots.free(key));
  }

  /** A failure of the collection itself: the snapshot comes again, later each time; siblings go on. */
  private async giveBack(snapshot: SnapshotRow, lease: Lease, error: unknown): Promise<void> {
    const isDeleted = isHoldfastError(error) && error.code === 'deleted';
    if (isHoldfastError(error) && error.code === 'disk_full') releaseReserve(this.context.collection.layout);
    if (!isDeleted) this.noteFailure(error, { snapshot: snapshot.id, url: snapshot.url });
    await this.change(() => postponeSnapshot(this.db, lease, troubleText(error), Date.now()));
    this.tell('STOPPED', snapshot);
  }

  /** A daemon tells at once; a run that ends because of it tells once, at its end, with all causes. */
  private noteFailure(error: unknown, facts: Record<string, string>): void {
    this.failures.push(error);
    if (this.options.daemon)
      this.context.log.error({ err: error, ...facts }, 'work failed inside Holdfast and is tried again later');
  }

  private async beginCrawl(crawl: CrawlRow, signal: AbortSignal): Promise<void> {
    if (crawl.input_done === 1) return this.lookAfterCrawl(crawl);
    const request = { id: crawl.id, owner: this.seat.id, now: Date.now() };
    const lease = await this.db.write(() => claimCrawl(this.db, request));
    if (!lease) return this.noteRefusedClaim();
    this.startTask(parseTask, async () => {
      try {
        await parseCrawl(this.context, lease, signal);
      } catch (error) {
        this.noteFailure(error, { crawl: crawl.id });
        await this.change(() => postponeCrawl(this.db, lease, troubleText(error), Date.now()));
        return;
      }
      await this.change(() => releaseCrawl(this.db, lease, Date.now(), Date.now()));
    });
  }

  private async lookAfterCrawl(crawl: CrawlRow): Promise<void> {
    const isSealed = await this.db.write(() => tickCrawl(this.db, crawl.id, Date.now()));
    if (isSealed) await removeRunFolder(this.context.collection.layout.crawlRun(crawl.id, crawl.lease_generation));
    this.context.collection.bell.ring();
  }

  /** Runs beside the loop. A task that ends rings the bell, so that the loop looks again. */
  private startTask(id: string, work: () => Promise<void>, onEnd: () => void = () => undefined): void {
    const task = work()
      .catch((error: unknown) => {
        this.noteFailure(error, { task: id });
      })
      .finally(() => {
        onEnd();
        this.tasks.delete(id);
        this.context.collection.bell.ring();
      });
    this.tasks.set(id, task);
  }

  private tell(kind: (typeof endWords)[RunOutcome] | 'STARTED', snapshot: SnapshotRow): void {
    this.context.onEvent({ kind, crawlId: snapshot.crawl_id, snapshotId: snapshot.id, url: snapshot.url });
  }

  /** One timer serves the next due row and the next recovery; everything else comes by the bell. */
  private async waitForChange(signal: AbortSignal): Promise<void> {
    if (this.tasks.size === 0 && (await this.rewriteStaleIndexes())) return;
    if (this.tasks.size === 0 && (await this.idleUpkeep.step(() => this.isIdle(signal)))) return;
    if (this.hasRung) return;
    const now = Date.now();
    const dueAt = Math.min(
      nextDueAt(this.db, now) ?? Number.POSITIVE_INFINITY,
      this.recoveredAt + limits.recoveryIntervalMs,
    );
    await this.context.collection.bell.next(Math.max(1, dueAt - now), signal);
  }

  /** True when something was rewritten. */
  private async rewriteStaleIndexes(): Promise<boolean> {
    const ids = staleSnapshotIds(this.db, staleBatch);
    let written = 0;
    for (const id of ids) {
      try {
        await writeIndexFiles(this.context.collection, id);
        written += 1;
      } catch (error) {
        // The rows are whole; their copy in files is tried again at the next look.
        this.context.log.error({ err: error, snapshot: id }, 'index files could not be written');
      }
    }
    return written > 0;
  }
}

const parseTask = 'parse';

const endWords = {
  sealed: 'SEALED',
  paused: 'PAUSED',
  cancelled: 'STOPPED',
  lost: 'STOPPED',
  shutdown: 'STOPPED',
} as const satisfies Record<RunOutcome, string>;
