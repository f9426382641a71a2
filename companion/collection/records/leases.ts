import { limits } from '../../../shared/limits.ts';
import type { LifecycleStatus } from '../../../shared/model/states.ts';
import { statesAllowing } from '../../lifecycle/transitions.ts';
import type { Db } from '../database.ts';
import { findCrawl } from './crawls.ts';
import { findSnapshot } from './snapshots.ts';
import type { CrawlRow, SnapshotRow } from './tables.ts';

/** The right to work on one row that a claim gives. It is lost when the generation changed, never by time. */
export interface Lease {
  id: string;
  /** Process row of the runner. */
  owner: string;
  generation: number;
}

interface ClaimRequest {
  id: string;
  owner: string;
  now: number;
}

const startable = sqlList(statesAllowing('snapshot', 'start'));
const runnableCrawl = sqlList(['queued', 'started']);

function sqlList(words: readonly LifecycleStatus[]): string {
  return words.map((word) => `'${word}'`).join(',');
}

/** The asking process is the active runner; a retired or waiting one claims nothing. */
const ownerIsActiveRunner = `EXISTS (SELECT 1 FROM process AS runner WHERE runner.id = :owner AND runner.status = 'running'
  AND runner.type = 'runner' AND runner.worker_type = 'active')`;

/** Nobody holds the row, or its holder let the time pass and is dead. Binds `:now`. */
export const noLiveLease = (
  table: string,
): string => `(${table}.lease_owner IS NULL OR (${table}.lease_expires_at <= :now AND NOT EXISTS
  (SELECT 1 FROM process AS holder WHERE holder.id = ${table}.lease_owner AND holder.status = 'running')))`;

/** No hook of an earlier claim of this snapshot lives. */
export const noLiveHook = `NOT EXISTS (SELECT 1 FROM process AS hook WHERE hook.snapshot_id = snapshot.id AND hook.status = 'running'
  AND hook.type = 'hook')`;

const takeLease = `lease_owner = :owner, lease_generation = lease_generation + 1, lease_expires_at = :until,
  modified_at = :now, revision = revision + 1`;

/**
 * Takes the right to run an open snapshot, in one conditional UPDATE. The claim of the first snapshot of a queued
 * crawl starts the crawl in the same transaction. Call inside `write`; undefined when somebody else was first, the
 * row is not due, or its crawl is not runnable.
 */
export function claimSnapshot(db: Db, request: ClaimRequest): Lease | undefined {
  const bound = { ...request, until: request.now + limits.leaseMs };
  const [claimed] = db.raw<{ lease_generation: number; crawl_id: string }>(
    `UPDATE snapshot SET status = 'started', due_at = :until, ${takeLease}
      WHERE id = :id AND status IN (${startable}) AND due_at <= :now AND trashed_at IS NULL
        AND ${noLiveLease('snapshot')} AND ${noLiveHook} AND ${ownerIsActiveRunner}
        AND EXISTS (SELECT 1 FROM crawl WHERE crawl.id = snapshot.crawl_id AND crawl.status IN (${runnableCrawl}))
      RETURNING lease_generation, crawl_id`,
    bound,
  );
  if (!claimed) return undefined;
  db.raw(
    `UPDATE crawl SET status = 'started', due_at = CASE WHEN status = 'queued' THEN :until ELSE due_at END,
        first_run_at = coalesce(first_run_at, :now), modified_at = :now, revision = revision + 1
      WHERE id = :crawl AND (status = 'queued' OR first_run_at IS NULL)`,
    { crawl: claimed.crawl_id, until: bound.until, now: request.now },
  );
  return { id: request.id, owner: request.owner, generation: claimed.lease_generation };
}

/** Takes the right to look after a sealed snapshot: requested plugins, late captures, index. Its status stays. */
export function claimSealedSnapshot(db: Db, request: ClaimRequest): Lease | undefined {
  const [claimed] = db.raw<{ lease_generation: number }>(
    `UPDATE snapshot SET due_at = :until, ${takeLease}
      WHERE id = :id AND status = 'sealed' AND due_at <= :now AND trashed_at IS NULL
        AND ${noLiveLease('snapshot')} AND ${noLiveHook} AND ${ownerIsActiveRunner}
      RETURNING lease_generation`,
    { ...request, until: request.now + limits.leaseMs },
  );
  return claimed && { id: request.id, owner: request.owner, generation: claimed.lease_generation };
}

/** Takes the right to parse a crawl's text and starts the crawl. */
export function claimCrawl(db: Db, request: ClaimRequest): Lease | undefined {
  const [claimed] = db.raw<{ lease_generation: number }>(
    `UPDATE crawl SET status = 'started', due_at = :until, ${takeLease}
      WHERE id = :id AND status IN (${runnableCrawl}) AND due_at <= :now
        AND ${noLiveLease('crawl')} AND ${ownerIsActiveRunner}
      RETURNING lease_generation`,
    { ...request, until: request.now + limits.leaseMs },
  );
  return claimed && { id: request.id, owner: request.owner, generation: claimed.lease_generation };
}

export type LeaseState = LifecycleStatus | 'lost';

/**
 * Renews the lease while the row is still in the state it was claimed in, so that a pause or cancellation is never
 * undone. Call inside `write`. Answers the row's state, `lost` when the generation changed.
 */
export function beatSnapshot(db: Db, lease: Lease, claimedAs: 'started' | 'sealed', now: number): LeaseState {
  db.raw(
    `UPDATE snapshot SET lease_expires_at = :until, due_at = :until
      WHERE id = :id AND lease_generation = :generation AND lease_owner = :owner AND status = :claimedAs`,
    { ...lease, claimedAs, until: now + limits.leaseMs },
  );
  return leaseState(findSnapshot(db, lease.id), lease);
}

/** As `beatSnapshot`, for a crawl that is being parsed. */
export function beatCrawl(db: Db, lease: Lease, now: number): LeaseState {
  db.raw(
    `UPDATE crawl SET lease_expires_at = :until, due_at = :until
      WHERE id = :id AND lease_generation = :generation AND lease_owner = :owner AND status = 'started'`,
    { ...lease, until: now + limits.leaseMs },
  );
  return leaseState(findCrawl(db, lease.id), lease);
}

/** True while nobody claimed the snapshot after this lease; what decides whether an output may be recorded. */
export function holdsGeneration(db: Db, lease: Lease): boolean {
  return findSnapshot(db, lease.id)?.lease_generation === lease.generation;
}

export function holdsCrawlGeneration(crawl: CrawlRow, lease: Lease): boolean {
  return crawl.lease_generation === lease.generation;
}

function leaseState(row: SnapshotRow | CrawlRow | undefined, lease: Lease): LeaseState {
  return row?.lease_generation === lease.generation ? row.status : 'lost';
}

/**
 * Seals a started snapshot when nothing came in since its plan was made. Call inside `write`. False when an upload
 * completed meanwhile (plan again), when it was paused or cancelled, or when the lease is lost. The last open
 * snapshot of a crawl makes the crawl due. Plugins requested meanwhile keep it due.
 */
export function sealSnapshot(db: Db, lease: Lease, inputsRevision: number, now: number): boolean {
  const [sealed] = db.raw<{ crawl_id: string }>(
    `UPDATE snapshot SET status = 'sealed', lease_owner = NULL, lease_expires_at = NULL,
        due_at = CASE WHEN json_extract(config, '$.RETRY_PLUGINS') IS NULL THEN NULL ELSE :now END,
        num_uses_succeeded = num_uses_succeeded + 1, attempts = 0, trouble = NULL, index_stale = 1,
        modified_at = :now, revision = revision + 1
      WHERE id = :id AND status = 'started' AND lease_generation = :generation AND inputs_revision = :inputsRevision
      RETURNING crawl_id`,
    { id: lease.id, generation: lease.generation, inputsRevision, now },
  );
  if (sealed) wakeFinishedCrawl(db, sealed.crawl_id, now);
  return sealed !== undefined;
}

/**
 * Ends the work on a sealed snapshot. `requested` is the list of plugins the work began with, as JSON, or null. False
 * when inputs or requested plugins changed meanwhile (look again). Call inside `write`.
 */
export function settleSealedSnapshot(
  db: Db,
  lease: Lease,
  seen: { inputsRevision: number; requested: string | null },
  now: number,
): boolean {
  const rows = db.raw(
    `UPDATE snapshot SET due_at = NULL, lease_owner = NULL, lease_expires_at = NULL, modified_at = :now,
        config = json_remove(config, '$.RETRY_PLUGINS'), attempts = 0, trouble = NULL, index_stale = 1,
        revision = revision + 1
      WHERE id = :id AND status = 'sealed' AND lease_generation = :generation AND inputs_revision = :inputsRevision
        AND json_extract(config, '$.RETRY_PLUGINS') IS :requested
      RETURNING id`,
    { id: lease.id, generation: lease.generation, ...seen, now },
  );
  return rows.length === 1;
}

/**
 * Gives a snapshot back. `dueAt` says when it is wanted again; it is ignored for one that was paused or cancelled
 * meanwhile. Call inside `write`; does nothing when the lease is lost.
 */
export function releaseSnapshot(db: Db, lease: Lease, dueAt: number, now: number): void {
  db.raw(
    `UPDATE snapshot SET lease_owner = NULL, lease_expires_at = NULL, modified_at = :now, revision = revision + 1,
        due_at = CASE WHEN status = 'started' OR (status = 'sealed' AND due_at IS NOT NULL) THEN :dueAt ELSE due_at END
      WHERE id = :id AND lease_generation = :generation AND lease_owner = :owner`,
    { ...lease, dueAt, now },
  );
}

const retryAfterMs = { first: 10_000, most: 600_000 };

/** When work that failed for the `attempts`-th time in a row is wanted again. */
function retryAt(attempts: number, now: number): number {
  return now + Math.min(retryAfterMs.first * 2 ** Math.min(attempts - 1, 16), retryAfterMs.most);
}

/**
 * Gives a snapshot back after an internal error and keeps what it said: it comes again after 10 s, then twice as long
 * each time, 10 minutes at most. Call inside `write`; does nothing when the lease is lost.
 */
export function postponeSnapshot(db: Db, lease: Lease, trouble: string, now: number): void {
  const row = findSnapshot(db, lease.id);
  if (row?.lease_generation !== lease.generation) return;
  const attempts = row.attempts + 1;
  releaseSnapshot(db, lease, retryAt(attempts, now), now);
  db.raw(
    `UPDATE snapshot SET num_uses_failed = num_uses_failed + 1, attempts = :attempts, trouble = :trouble WHERE id = :id`,
    { id: lease.id, attempts, trouble },
  );
}

/** As `postponeSnapshot`, for a crawl whose text could not be read. */
export function postponeCrawl(db: Db, lease: Lease, trouble: string, now: number): void {
  const row = findCrawl(db, lease.id);
  if (row?.lease_generation !== lease.generation) return;
  const attempts = row.attempts + 1;
  releaseCrawl(db, lease, retryAt(attempts, now), now);
  db.raw(`UPDATE crawl SET attempts = :attempts, trouble = :trouble WHERE id = :id`, {
    id: lease.id,
    attempts,
    trouble,
  });
}

/** As `releaseSnapshot`, for a crawl. */
export function releaseCrawl(db: Db, lease: Lease, dueAt: number, now: number): void {
  db.raw(
    `UPDATE crawl SET lease_owner = NULL, lease_expires_at = NULL, modified_at = :now, revision = revision + 1,
        due_at = CASE WHEN status = 'started' THEN :dueAt ELSE due_at END
      WHERE id = :id AND lease_generation = :generation AND lease_owner = :owner`,
    { ...lease, dueAt, now },
  );
}

/** A crawl whose snapshots are all sealed is due now, so that it is sealed without waiting. Call inside `write`. */
export function wakeFinishedCrawl(db: Db, crawlId: string, now: number): void {
  db.raw(
    `UPDATE crawl SET due_at = :now, modified_at = :now, revision = revision + 1
      WHERE id = :crawlId AND status = 'started' AND input_done = 1 AND due_at > :now
        AND NOT EXISTS (SELECT 1 FROM snapshot WHERE crawl_id = :crawlId AND status IN ('queued','started','paused'))`,
    { crawlId, now },
  );
}
