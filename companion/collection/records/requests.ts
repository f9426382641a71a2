import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { uploadHookName } from '../../../shared/model/states.ts';
import { dueAfter, statesAllowing, transition, type LifecycleEvent } from '../../lifecycle/transitions.ts';
import type { Db } from '../database.ts';
import { parseObject } from './common.ts';
import { stopReasons } from './crawl-limits.ts';
import { findCrawl } from './crawls.ts';
import { noLiveHook, noLiveLease, wakeFinishedCrawl } from './leases.ts';
import { resultsOfSnapshots } from './results.ts';
import { requireSnapshot, updateSnapshot } from './snapshots.ts';
import type { CrawlRow, SnapshotRow } from './tables.ts';

/** What a person may ask of a crawl or snapshot; the runner does the rest. */
export type LifecycleRequest = Extract<LifecycleEvent, 'pause' | 'resume' | 'cancel'>;

/** Stands for every enabled plugin in `RETRY_PLUGINS`. */
export const everyPlugin = '*';

/**
 * Pauses, resumes or cancels a crawl: writes the crawl and wakes its snapshots, never walks through their work. A
 * snapshot that is due already is not written again. Call inside `write`; ring the bell afterwards. Throws
 * `not_found` or `illegal_transition`.
 */
export function requestCrawl(db: Db, crawlId: string, request: LifecycleRequest, now: number): CrawlRow {
  const crawl = findCrawl(db, crawlId);
  if (!crawl) throw new HoldfastError('not_found', `There is no crawl ${crawlId}.`);
  const next = transition('crawl', crawl.status, request);
  db.raw(
    `UPDATE crawl SET status = :status, due_at = :dueAt, stop_reason = coalesce(:reason, stop_reason), modified_at = :now, revision = revision + 1
      WHERE id = :id`,
    {
      id: crawlId,
      status: next.status,
      dueAt: dueAfter(next.due, now, limits.leaseMs),
      reason: request === 'cancel' ? stopReasons.cancelled : null,
      now,
    },
  );
  wakeChildren(db, crawlId, request, now);
  return findCrawl(db, crawlId)!;
}

function wakeChildren(db: Db, crawlId: string, request: LifecycleRequest, now: number): void {
  const touch = 'due_at = :now, modified_at = :now, revision = revision + 1';
  const sql = {
    pause: `UPDATE snapshot SET ${touch} WHERE crawl_id = :crawlId AND status = 'queued' AND (due_at IS NULL OR due_at > :now)`,
    resume: `UPDATE snapshot SET status = 'queued', ${touch} WHERE crawl_id = :crawlId AND status = 'paused'`,
    cancel: `UPDATE snapshot SET ${touch} WHERE crawl_id = :crawlId AND status IN ('queued', 'started', 'paused')
               AND (due_at IS NULL OR due_at > :now)`,
  }[request];
  db.raw(sql, { crawlId, now });
}

/** Pauses, resumes or cancels one snapshot. Call inside `write`; ring the bell afterwards. */
export function requestSnapshot(db: Db, snapshotId: string, request: LifecycleRequest, now: number): SnapshotRow {
  const snapshot = requireSnapshot(db, snapshotId);
  const next = transition('snapshot', snapshot.status, request);
  updateSnapshot(
    db,
    snapshotId,
    {
      status: next.status,
      due_at: dueAfter(next.due, now, limits.leaseMs),
      index_stale: 1,
      ...(request === 'cancel' ? { stop_reason: stopReasons.cancelled } : {}),
    },
    now,
  );
  if (next.status === 'sealed') wakeFinishedCrawl(db, snapshot.crawl_id, now);
  if (request === 'resume') reopenCrawl(db, snapshot.crawl_id, now);
  return requireSnapshot(db, snapshotId);
}

/** Rows of one batch: some milliseconds, so that nobody waits for the lock. */
const followBatch = 200;

/**
 * Brings a batch of due open snapshots that nobody works on into the state of their crawl: cancelled or paused with it.
 * Call inside `write`; answers how many.
 */
export function followCrawl(db: Db, crawlId: string, event: 'cancel' | 'pause', now: number): number {
  const states = statesAllowing('snapshot', event);
  const rows = db.raw<{ id: string }>(
    `SELECT id FROM snapshot WHERE crawl_id = :crawlId AND status IN (${states.map((state) => `'${state}'`).join(',')})
        AND due_at <= :now AND trashed_at IS NULL AND ${noLiveLease('snapshot')} AND ${noLiveHook} LIMIT ${followBatch}`,
    { crawlId, now },
  );
  for (const { id } of rows) requestSnapshot(db, id, event, now);
  return rows.length;
}

/** A resumed snapshot of a paused crawl would be paused again at once. */
function reopenCrawl(db: Db, crawlId: string, now: number): void {
  if (!statesAllowing('crawl', 'resume').includes(findCrawl(db, crawlId)?.status ?? 'sealed')) return;
  db.raw(
    `UPDATE crawl SET status = 'queued', due_at = :now, modified_at = :now, revision = revision + 1
      WHERE id = :crawlId AND status = 'paused'`,
    { crawlId, now },
  );
}

/**
 * Asks for runs of named plugins (DESIGN section 4, `RETRY_PLUGINS`): joins them to what was asked before and makes
 * the snapshot due. Sealed stays sealed; an open or paused one is queued. Results and files stay until the new run of
 * their hook has ended. Call inside `write`; ring the bell.
 */
export function requestPlugins(db: Db, snapshotId: string, plugins: readonly string[], now: number): void {
  const snapshot = requireSnapshot(db, snapshotId);
  const config = parseObject(snapshot.config);
  const before = requestedPlugins(snapshot) ?? [];
  const union = [...new Set([...before, ...plugins])];
  updateSnapshot(
    db,
    snapshotId,
    {
      config: JSON.stringify({ ...config, RETRY_PLUGINS: union }),
      status: snapshot.status === 'sealed' ? 'sealed' : 'queued',
      due_at: now,
    },
    now,
  );
}

/**
 * Asks for exactly the plugins whose results are `failed` and answers them; none, and nothing is written, when there is
 * no such result. Results of uploads are the browser's. Call inside `write`; ring the bell.
 */
export function requestFailed(db: Db, snapshotId: string, now: number): string[] {
  requireSnapshot(db, snapshotId);
  const failed = resultsOfSnapshots(db, [snapshotId]).filter(
    (result) => result.status === 'failed' && result.hook_name !== uploadHookName,
  );
  const plugins = [...new Set(failed.map((result) => result.plugin))];
  if (plugins.length > 0) requestPlugins(db, snapshotId, plugins, now);
  return plugins;
}

/** Names asked for and not yet run; undefined when nothing was asked. */
export function requestedPlugins(snapshot: Pick<SnapshotRow, 'config'>): string[] | undefined {
  const list = parseObject(snapshot.config)['RETRY_PLUGINS'];
  return Array.isArray(list) ? list.filter((name): name is string => typeof name === 'string') : undefined;
}

/**
 * "Fetch it yourself": no capture is waited for any more and the companion may use the network for this page. Nothing
 * else ever fetches a page of the browser logged out. Call inside `write`; ring the bell afterwards.
 */
export function requestFetch(db: Db, snapshotId: string, now: number): SnapshotRow {
  const snapshot = requireSnapshot(db, snapshotId);
  const config = { ...parseObject(snapshot.config), FETCH: true };
  updateSnapshot(db, snapshotId, { expected_captures: '[]', config: JSON.stringify(config), due_at: now }, now);
  if (snapshot.status === 'sealed' || snapshot.status === 'paused') requestPlugins(db, snapshotId, [everyPlugin], now);
  else
    db.raw(`UPDATE crawl SET due_at = :now WHERE id = :id AND status IN ('queued', 'started')`, {
      now,
      id: snapshot.crawl_id,
    });
  return requireSnapshot(db, snapshotId);
}
