import type { MessagePort } from 'node:worker_threads';
import { limits } from '../../shared/limits.ts';
import { Indexer } from './indexer.ts';
import { isDamage } from './search-database.ts';
import type { Envelope, WorkerMessage } from './worker-messages.ts';

/** Overlap of a quick look, and of the thorough one that follows when it has become quiet. */
const quickOverlapMs = 2_000;
const thoroughOverlapMs = limits.sqliteBusyTotalMs + 5_000;
const quietMs = 4_000;
/** After a failure (disk full, file locked) the next attempt. */
const retryMs = 30_000;

/** Keeps the index up to date: changes first, the comparison of everything in between, then sleep until told. */
export function runIndexThread(root: string, port: MessagePort): void {
  const thread = new IndexThread(root, port);
  port.on('message', (message: Envelope | 'close') => thread.receive(message));
}

type Job = Envelope & { request: { kind: 'catchUp' | 'rebuild' } };

class IndexThread {
  private readonly root: string;
  private readonly port: MessagePort;
  private indexer: Indexer | undefined;
  private readonly jobs: Job[] = [];
  private overlapMs: number | undefined;
  private isRunning = false;
  private isClosing = false;
  private timer: NodeJS.Timeout | undefined;
  /** A disk that damages every new index is not to be written to for ever. */
  private remakesLeft = 3;

  constructor(root: string, port: MessagePort) {
    this.root = root;
    this.port = port;
  }

  receive(message: Envelope | 'close'): void {
    if (message === 'close') {
      this.isClosing = true;
    } else if (message.request.kind === 'look') {
      this.wantLook(quickOverlapMs);
    } else if (message.request.kind === 'open') {
      this.answer(message, () => void this.open());
    } else {
      this.jobs.push(message as Job);
    }
    if (!this.isRunning) void this.run();
  }

  private open(): Indexer {
    if (!this.indexer) {
      this.indexer = new Indexer(this.root);
      this.indexer.beginComparison();
    }
    return this.indexer;
  }

  /** Works until nothing is wanted; never rejects. */
  private async run(): Promise<void> {
    this.isRunning = true;
    while (!this.isClosing) {
      try {
        if (!(await this.step())) break;
      } catch (error) {
        if (!this.recover(error)) break;
      }
    }
    this.isRunning = false;
    if (this.isClosing) this.close();
  }

  /** One piece of work, the most urgent first; false when there is none. */
  private async step(): Promise<boolean> {
    const indexer = this.open();
    const job = this.jobs[0];
    if (job) {
      if (job.request.kind === 'rebuild') indexer.remake();
      await this.follow(indexer, thoroughOverlapMs);
      this.jobs.shift();
      this.answer(job, () => undefined);
      return true;
    }
    const overlapMs = this.overlapMs;
    if (overlapMs !== undefined) {
      this.overlapMs = undefined;
      await this.follow(indexer, overlapMs);
      return true;
    }
    if (!indexer.isComparing) return false;
    await indexer.compareNext();
    return true;
  }

  private async follow(indexer: Indexer, overlapMs: number): Promise<void> {
    const isBuilding = indexer.isEmpty;
    if (isBuilding) this.post({ kind: 'building', isBuilding: true });
    await indexer.followChanges(overlapMs);
    if (isBuilding) this.post({ kind: 'building', isBuilding: false });
    if (overlapMs === quickOverlapMs) this.lookLater(quietMs);
  }

  private wantLook(overlapMs: number): void {
    this.overlapMs = Math.max(this.overlapMs ?? 0, overlapMs);
  }

  private lookLater(delayMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.wantLook(thoroughOverlapMs);
      if (!this.isRunning) void this.run();
    }, delayMs);
  }

  /** True when the work can go on at once. */
  private recover(error: unknown): boolean {
    const reason = error instanceof Error ? error.message : String(error);
    if (isDamage(error) && this.indexer && this.remakesLeft > 0) {
      this.remakesLeft -= 1;
      this.post({ kind: 'trouble', sentence: `The search index was damaged and is made anew: ${reason}` });
      this.indexer.remake();
      this.wantLook(thoroughOverlapMs);
      return true;
    }
    for (const job of this.jobs.splice(0)) {
      this.post({
        kind: 'failure',
        id: job.id,
        error: { code: 'internal', message: `The search index could not be brought up to date: ${reason}` },
      });
    }
    this.post({ kind: 'trouble', sentence: `The search index waits ${retryMs / 1000} s before it goes on: ${reason}` });
    this.lookLater(retryMs);
    return false;
  }

  private answer(envelope: Envelope, work: () => void): void {
    try {
      work();
      this.post({ kind: 'reply', id: envelope.id, value: null });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.post({
        kind: 'failure',
        id: envelope.id,
        error: { code: 'internal', message: `The search index could not be opened: ${message}` },
      });
    }
  }

  private post(message: WorkerMessage): void {
    this.port.postMessage(message);
  }

  private close(): void {
    clearTimeout(this.timer);
    this.indexer?.close();
    this.port.close();
  }
}
