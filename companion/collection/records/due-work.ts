import { limits } from '../../../shared/limits.ts';
import type { Db } from '../database.ts';
import { noLiveHook, noLiveLease } from './leases.ts';
import { outstandingCaptures } from './results.ts';
import type { CrawlRow, SnapshotRow } from './tables.ts';

/** Narrows a runner to one crawl, to some snapshots or to maintenance; empty means the whole collection. */
export interface WorkScope {
  crawlId?: string | undefined;
  snapshotIds?: readonly string[] | undefined;
  /** Only what is sealed already: requested plugins, late captures, index files. */
  maintenanceOnly?: boolean | undefined;
}

export type DueWork =
  | { kind: 'snapshot' | 'sealed_snapshot' | 'cancelled_snapshot' | 'paused_snapshot'; snapshot: SnapshotRow }
  | { kind: 'queued_crawl' | 'started_crawl' | 'sealed_crawl'; crawl: CrawlRow };

export interface DueOptions {
  scope: WorkScope;
  now: number;
  /** False when only snapshots with captures of a browser may be begun: one slot is always left to them. */
  fetchSlotFree: boolean;
  slotFree: boolean;
  /** False while the text of another crawl is being read. */
  crawlSlotFree: boolean;
  /** Takes a sealed row before crawl work, for its guaranteed share. */
  sealedFirst: boolean;
  /** Crawls of which no further open snapshot may be begun now. */
  fullCrawls: readonly string[];
}

/**
 * The next row to work on, by the ranks of DESIGN section 4; one row per rank by (due_at, created_at). A row that
 * cannot be claimed (somebody works on it) is never answered, so that the pass cannot turn in circles.
 */
export function nextDueWork(db: Db, options: DueOptions): DueWork | undefined {
  const sealed = (): DueWork | undefined => {
    const snapshot = options.slotFree ? dueSnapshot(db, options, ['sealed'], '') : undefined;
    return snapshot && { kind: 'sealed_snapshot', snapshot };
  };
  if (options.scope.maintenanceOnly) return sealed();
  if (options.sealedFirst) {
    const first = sealed();
    if (first) return first;
  }
  return (
    dueRunnable(db, options) ??
    dueOpenCrawl(db, options) ??
    dueStopped(db, options) ??
    sealed() ??
    dueSealedCrawl(db, options)
  );
}

function dueRunnable(db: Db, options: DueOptions): DueWork | undefined {
  const notFull = options.fullCrawls.length === 0 ? '' : ' AND crawl.id NOT IN (SELECT value FROM json_each(:full))';
  const crawlState = `crawl.status IN ('queued', 'started')${notFull}`;
  const browser = options.slotFree
    ? dueSnapshot(db, options, ['queued', 'started'], `${crawlState} AND snapshot.source = 'browser'`)
    : undefined;
  const any = options.fetchSlotFree
    ? () => dueSnapshot(db, options, ['queued', 'started'], crawlState)
    : () => undefined;
  const snapshot = browser ?? any();
  return snapshot && { kind: 'snapshot', snapshot };
}

function dueOpenCrawl(db: Db, options: DueOptions): DueWork | undefined {
  if (!options.crawlSlotFree) return undefined;
  const queued = dueCrawl(db, options, 'queued');
  if (queued) return { kind: 'queued_crawl', crawl: queued };
  const started = dueCrawl(db, options, 'started');
  return started && { kind: 'started_crawl', crawl: started };
}

/** Open snapshots whose crawl was cancelled or paused; nothing is run for them. */
function dueStopped(db: Db, options: DueOptions): DueWork | undefined {
  const cancelled = dueSnapshot(db, options, ['queued', 'started', 'paused'], `crawl.status = 'sealed'`);
  if (cancelled) return { kind: 'cancelled_snapshot', snapshot: cancelled };
  const paused = dueSnapshot(db, options, ['queued', 'started'], `crawl.status = 'paused'`);
  return paused && { kind: 'paused_snapshot', snapshot: paused };
}

function dueSealedCrawl(db: Db, options: DueOptions): DueWork | undefined {
  const crawl = dueCrawl(db, options, 'sealed');
  return crawl && { kind: 'sealed_crawl', crawl };
}

function dueSnapshot(
  db: Db,
  options: DueOptions,
  states: readonly string[],
  condition: string,
): SnapshotRow | undefined {
  const { scope, now } = options;
  const where = [
    `snapshot.status = :state AND snapshot.due_at <= :now AND snapshot.trashed_at IS NULL`,
    noLiveLease('snapshot'),
    noLiveHook,
    ...(condition === '' ? [] : [condition]),
    ...(scope.crawlId === undefined ? [] : ['snapshot.crawl_id = :crawlId']),
    ...(scope.snapshotIds === undefined ? [] : ['snapshot.id IN (SELECT value FROM json_each(:ids))']),
  ].join(' AND ');
  const found = states.flatMap((state) =>
    db.raw<SnapshotRow>(
      `SELECT snapshot.* FROM snapshot JOIN crawl ON crawl.id = snapshot.crawl_id WHERE ${where}
        ORDER BY snapshot.due_at, snapshot.created_at LIMIT 1`,
      bindScope(scope, {
        state,
        now,
        ...(condition.includes(':full') ? { full: JSON.stringify(options.fullCrawls) } : {}),
      }),
    ),
  );
  return found.sort((a, b) => a.due_at! - b.due_at! || a.created_at - b.created_at)[0];
}

function dueCrawl(db: Db, options: DueOptions, state: string): CrawlRow | undefined {
  const { scope, now } = options;
  if (scope.snapshotIds !== undefined && scope.crawlId === undefined) return undefined;
  const only = scope.crawlId === undefined ? '' : 'AND id = :crawlId';
  return db.raw<CrawlRow>(
    `SELECT * FROM crawl WHERE status = :state AND due_at <= :now AND ${noLiveLease('crawl')} ${only}
      ORDER BY due_at, created_at LIMIT 1`,
    { state, now, ...(scope.crawlId === undefined ? {} : { crawlId: scope.crawlId }) },
  )[0];
}

function bindScope(scope: WorkScope, values: Record<string, unknown>): Record<string, unknown> {
  return {
    ...values,
    ...(scope.crawlId === undefined ? {} : { crawlId: scope.crawlId }),
    ...(scope.snapshotIds === undefined ? {} : { ids: JSON.stringify(scope.snapshotIds) }),
  };
}

/** The earliest moment after `now` at which something will be due, for one timer; undefined when nothing is planned. */
export function nextDueAt(db: Db, now: number): number | undefined {
  const times = (['queued', 'started', 'sealed'] as const).flatMap((state) =>
    (['snapshot', 'crawl'] as const).map(
      (table) =>
        db.raw<{ at: number | null }>(
          `SELECT due_at AS at FROM ${table} WHERE status = :state AND due_at > :now ORDER BY due_at LIMIT 1`,
          { state, now },
        )[0]?.at ?? Number.POSITIVE_INFINITY,
    ),
  );
  const earliest = Math.min(...times);
  return Number.isFinite(earliest) ? earliest : undefined;
}

/** True while somebody holds a lease on a row of the scope; a watcher waits for these too. */
export function isWorkInProgress(db: Db, scope: WorkScope): boolean {
  const only = [
    ...(scope.crawlId === undefined ? [] : ['crawl_id = :crawlId']),
    ...(scope.snapshotIds === undefined ? [] : ['id IN (SELECT value FROM json_each(:ids))']),
  ];
  const states = scope.maintenanceOnly ? "'sealed'" : "'started', 'sealed'";
  const where = [`status IN (${states})`, 'due_at IS NOT NULL', 'lease_owner IS NOT NULL', ...only].join(' AND ');
  return db.raw(`SELECT id FROM snapshot WHERE ${where} LIMIT 1`, bindScope(scope, {})).length > 0;
}

/**
 * A browser's snapshot whose captures are outstanding is not runnable: moves it and its crawl on by a day. Call inside
 * `write`; true when it has to wait.
 */
export function deferWaitingSnapshot(db: Db, snapshot: SnapshotRow, now: number): boolean {
  if (snapshot.source !== 'browser' || outstandingCaptures(db, snapshot).length === 0) return false;
  const until = now + limits.browserWaitMs;
  db.raw(`UPDATE snapshot SET due_at = :until WHERE id = :id AND due_at <= :now AND status IN ('queued', 'started')`, {
    id: snapshot.id,
    until,
    now,
  });
  return true;
}
