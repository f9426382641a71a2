import type { LifecycleStatus } from '../../shared/model/states.ts';

const leaseMs = 60_000;
const idleLookMs = 10_000;

export interface ModelSnapshot {
  status: LifecycleStatus;
  due: number | null;
  owner: number | null;
  until: number | null;
  generation: number;
  inputs: number;
  retry: boolean;
}

export interface ModelLease {
  snapshot: number;
  owner: number;
  generation: number;
  as: 'started' | 'sealed';
  /** As seen when the plan was made. */
  inputs: number;
  retry: boolean;
}

export type Request = 'pause' | 'resume' | 'cancel';

/** What DESIGN section 4 and the exact rules say, as plain as can be: one crawl, its snapshots, one runner at a time. */
export class LifecycleModel {
  now: number;
  crawl: { status: LifecycleStatus; due: number | null };
  snapshots: ModelSnapshot[];
  /** Number of the active runner; undefined between a crash and the next start. */
  runner: number | undefined = 0;

  constructor(now: number, count: number) {
    this.now = now;
    this.crawl = { status: 'queued', due: now };
    const fresh = { status: 'queued' as const, due: now, owner: null, until: null, generation: 0, inputs: 0 };
    this.snapshots = Array.from({ length: count }, () => ({ ...fresh, retry: false }));
  }

  claim(index: number, as: 'started' | 'sealed'): ModelLease | undefined {
    const row = this.snapshots[index]!;
    const states = as === 'started' ? ['queued', 'started'] : ['sealed'];
    const isRunnable = as === 'sealed' || this.crawl.status === 'queued' || this.crawl.status === 'started';
    if (this.runner === undefined || !states.includes(row.status) || !isRunnable) return undefined;
    if (row.due === null || row.due > this.now || this.isHeld(row)) return undefined;
    const until = this.now + leaseMs;
    Object.assign(row, { due: until, until, owner: this.runner, generation: row.generation + 1 });
    if (as === 'started') {
      row.status = 'started';
      if (this.crawl.status === 'queued') this.crawl = { status: 'started', due: until };
    }
    const { generation, inputs, retry } = row;
    return { snapshot: index, owner: this.runner, generation, as, inputs, retry };
  }

  beat(lease: ModelLease): void {
    const row = this.snapshots[lease.snapshot]!;
    if (!this.holds(lease) || row.status !== lease.as) return;
    row.due = row.until = this.now + leaseMs;
  }

  seal(lease: ModelLease): boolean {
    const row = this.snapshots[lease.snapshot]!;
    if (row.generation !== lease.generation || row.status !== lease.as || row.inputs !== lease.inputs) return false;
    if (lease.as === 'sealed' && row.retry !== lease.retry) return false;
    if (lease.as === 'sealed') row.retry = false;
    Object.assign(row, { status: 'sealed', owner: null, until: null, due: row.retry ? this.now : null });
    if (lease.as === 'started') this.wakeFinished();
    return true;
  }

  release(lease: ModelLease): void {
    const row = this.snapshots[lease.snapshot]!;
    if (!this.holds(lease)) return;
    Object.assign(row, { owner: null, until: null });
    if (row.status === 'started' || (row.status === 'sealed' && row.due !== null)) row.due = this.now;
  }

  /** False when the request is refused. */
  requestCrawl(request: Request): boolean {
    const { status } = this.crawl;
    if (
      request === 'resume' ? status !== 'paused' : status === 'sealed' || (request === 'pause' && status === 'paused')
    )
      return false;
    this.crawl = {
      pause: pausedRow,
      resume: { status: 'queued' as const, due: this.now },
      cancel: { status: 'sealed' as const, due: this.now },
    }[request];
    for (const row of this.snapshots) {
      const isLater = row.due === null || row.due > this.now;
      if (request === 'resume' && row.status === 'paused') Object.assign(row, { status: 'queued', due: this.now });
      if (request === 'pause' && row.status === 'queued' && isLater) row.due = this.now;
      if (request === 'cancel' && row.status !== 'sealed' && isLater) row.due = this.now;
    }
    return true;
  }

  requestSnapshot(index: number, request: Request): boolean {
    const row = this.snapshots[index]!;
    if (request === 'resume') {
      if (row.status !== 'paused') return false;
      Object.assign(row, { status: 'queued', due: this.now });
      if (this.crawl.status === 'paused') this.crawl = { status: 'queued', due: this.now };
      return true;
    }
    if (row.status === 'sealed' || (request === 'pause' && row.status === 'paused')) return false;
    Object.assign(row, { status: request === 'pause' ? 'paused' : 'sealed', due: null });
    if (request === 'cancel') this.wakeFinished();
    return true;
  }

  requestPlugins(index: number): void {
    const row = this.snapshots[index]!;
    Object.assign(row, { retry: true, due: this.now, status: row.status === 'sealed' ? 'sealed' : 'queued' });
  }

  upload(index: number): void {
    const row = this.snapshots[index]!;
    row.inputs += 1;
    if (row.status === 'sealed') row.due = this.now;
  }

  /** The runner brings due children of a paused or cancelled crawl to where it is. */
  follow(): void {
    if (this.crawl.status !== 'sealed' && this.crawl.status !== 'paused') return;
    for (const row of this.snapshots) {
      const isBehind =
        row.status === 'queued' ||
        row.status === 'started' ||
        (row.status === 'paused' && this.crawl.status === 'sealed');
      if (!isBehind || row.due === null || row.due > this.now || this.isHeld(row)) continue;
      Object.assign(row, { status: this.crawl.status, due: null });
    }
  }

  tick(): void {
    if (this.crawl.status !== 'queued' && this.crawl.status !== 'started') return;
    if (this.snapshots.every((row) => row.status === 'sealed')) {
      this.crawl = { status: 'sealed', due: null };
      return;
    }
    const runnable = this.snapshots.filter((row) => row.status === 'queued' || row.status === 'started');
    const times = runnable.flatMap((row) => (row.due === null ? [] : [row.due]));
    const earliest = times.length > 0 ? Math.min(...times) : undefined;
    if (earliest !== undefined && earliest <= this.now) {
      this.crawl.due = this.now + leaseMs;
      return;
    }
    for (const row of runnable) if (row.status === 'queued') row.due ??= this.now;
    this.crawl.due = earliest ?? this.now + idleLookMs;
  }

  recover(): void {
    for (const row of this.snapshots) {
      const isOrphan = row.owner !== null && row.owner !== this.runner;
      if (isOrphan && row.due !== null && (row.status === 'started' || row.status === 'sealed'))
        Object.assign(row, { owner: null, until: null, due: this.now });
      if (row.status === 'queued' || row.status === 'started') row.due ??= this.now;
    }
    this.wakeFinished();
  }

  private holds(lease: ModelLease): boolean {
    const row = this.snapshots[lease.snapshot]!;
    return row.generation === lease.generation && row.owner === lease.owner;
  }

  private isHeld(row: ModelSnapshot): boolean {
    const isDead = row.owner !== this.runner;
    return row.owner !== null && !(row.until! <= this.now && isDead);
  }

  private wakeFinished(): void {
    const isDone = this.snapshots.every((row) => row.status === 'sealed');
    if (isDone && this.crawl.status === 'started' && this.crawl.due! > this.now) this.crawl.due = this.now;
  }
}

const pausedRow = { status: 'paused' as const, due: null };
