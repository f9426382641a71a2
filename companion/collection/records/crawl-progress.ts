import { limits } from '../../../shared/limits.ts';
import { lifecycleStatuses, type LifecycleStatus } from '../../../shared/model/states.ts';
import { newId } from '../../../shared/model/ids.ts';
import { dueAfter, transition } from '../../lifecycle/transitions.ts';
import { sqlBuilder, type Db } from '../database.ts';
import {
  addressesLeft,
  keptElsewhere,
  noteStopReason,
  reachedLimit,
  sealBeyondLimits,
  stopReasons,
} from './crawl-limits.ts';
import { findCrawl } from './crawls.ts';
import { holdsCrawlGeneration, type Lease } from './leases.ts';
import { ensureSnapshot, findSnapshotOfCrawl } from './snapshots.ts';
import type { CrawlRow, ReceiptRow, SnapshotRow } from './tables.ts';

/** One record of a submitted text, checked. */
export type SubmittedRecord =
  | { ok: true; url: string; title?: string | undefined; tags: readonly string[]; bookmarkedAt?: number | undefined }
  | { ok: false; text: string; reason: string };

/** A child waited for longer than this is looked at again anyway. */
const idleCrawlLookMs = 10_000;

/**
 * Turns the next records of a crawl's text into snapshots of depth 0 and receipt rows, and moves `input_records` with
 * them, so that parsing goes on from there after any interruption. Call inside `write`. False when the lease is lost
 * or the crawl was paused or cancelled: nothing is written then.
 */
export function recordSubmitted(db: Db, lease: Lease, records: readonly SubmittedRecord[], now: number): boolean {
  const crawl = findCrawl(db, lease.id);
  if (!crawl || crawl.status !== 'started' || !holdsCrawlGeneration(crawl, lease)) return false;
  let position = crawl.input_records;
  let left = addressesLeft(db, crawl);
  for (const record of records) {
    const receipt = receiptOf(db, crawl, record, left, now);
    if (receipt.bucket === 'created') left -= 1;
    const common = { id: newId(now), created_at: now, modified_at: now, revision: 1, crawl_id: crawl.id, position };
    db.run(sqlBuilder.insertInto('receipt').values({ ...common, ...receipt }));
    position += 1;
  }
  db.raw(`UPDATE crawl SET input_records = :position, modified_at = :now, revision = revision + 1 WHERE id = :id`, {
    position,
    now,
    id: crawl.id,
  });
  return true;
}

type Receipt = Pick<ReceiptRow, 'bucket' | 'url' | 'reason' | 'snapshot_id'>;

/** Makes the snapshot of one record where it may, and says what became of it. */
function receiptOf(db: Db, crawl: CrawlRow, record: SubmittedRecord, left: number, now: number): Receipt {
  if (!record.ok) return { bucket: 'skipped', url: record.text, reason: record.reason, snapshot_id: null };
  const { url } = record;
  const elsewhere = keptElsewhere(db, crawl, url);
  if (elsewhere !== undefined) {
    const reason = `${url} is in the collection already; only new addresses were asked for`;
    return { bucket: 'already_there', url, reason, snapshot_id: elsewhere };
  }
  const known = findSnapshotOfCrawl(db, crawl.id, url);
  if (!known && left <= 0) {
    noteStopReason(db, crawl.id, stopReasons.crawlMaxUrls, now);
    return { bucket: 'skipped', url, reason: `${url} is beyond the number of addresses asked for`, snapshot_id: null };
  }
  const { row, created } = ensureSnapshot(db, submittedSnapshot(crawl, record, now), now);
  return { bucket: created ? 'created' : 'merged', url, reason: '', snapshot_id: row.id };
}

function submittedSnapshot(crawl: CrawlRow, record: Extract<SubmittedRecord, { ok: true }>, now: number) {
  return {
    url: record.url,
    ownerId: crawl.created_by,
    crawlId: crawl.id,
    depth: 0,
    title: record.title,
    titleOrigin: 'user' as const,
    tags: [...crawlTags(crawl), ...record.tags],
    notes: '',
    source: 'companion' as const,
    expectedCaptures: [],
    bookmarkedAt: record.bookmarkedAt ?? now,
    permissions: crawl.permissions,
    inputDigest: crawl.input,
  };
}

function crawlTags(crawl: Pick<CrawlRow, 'tags'>): string[] {
  return crawl.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

/** The text is read to its end. A crawl without any snapshot is sealed and says why. Call inside `write`. */
export function finishInput(db: Db, lease: Lease, now: number): void {
  const crawl = findCrawl(db, lease.id);
  if (!crawl || !holdsCrawlGeneration(crawl, lease)) return;
  db.raw(
    `UPDATE crawl SET input_done = 1, lease_owner = NULL, lease_expires_at = NULL, due_at = CASE WHEN status = 'started'
        THEN :until ELSE due_at END, attempts = 0, trouble = NULL, modified_at = :now, revision = revision + 1 WHERE id = :id`,
    { id: crawl.id, now, until: now + limits.leaseMs },
  );
  if (!childState(db, crawl.id, now).any) sealCrawl(db, crawl, stopReasons.noViableUrls, now);
}

/** What was made of each record of a crawl's text, in the order of the text. */
export function receiptsOfCrawl(db: Db, crawlId: string): ReceiptRow[] {
  return db.all(sqlBuilder.selectFrom('receipt').selectAll().where('crawl_id', '=', crawlId).orderBy('position'));
}

/** The first snapshots of a crawl in the order they were made. */
export function snapshotsOfCrawl(db: Db, crawlId: string, limit: number): SnapshotRow[] {
  return db.all(
    sqlBuilder.selectFrom('snapshot').selectAll().where('crawl_id', '=', crawlId).orderBy('id').limit(limit),
  );
}

/**
 * Looks after a due crawl whose text is parsed: seals it when every snapshot is sealed, otherwise says when it is to
 * be looked at again. Only while it is still runnable, so that a pause or cancellation is never undone. Call inside
 * `write`; true when it was sealed.
 */
export function tickCrawl(db: Db, crawlId: string, now: number): boolean {
  const crawl = findCrawl(db, crawlId);
  if (!crawl || (crawl.status !== 'started' && crawl.status !== 'queued')) return false;
  if (sealBeyondLimits(db, crawl, now) > 0) {
    db.raw(`UPDATE crawl SET due_at = :now WHERE id = :crawlId AND status IN ('queued', 'started')`, { crawlId, now });
    return false;
  }
  const children = childState(db, crawlId, now);
  if (!children.open) {
    sealCrawl(db, crawl, null, now);
    return true;
  }
  if (!children.due) {
    db.raw(`UPDATE snapshot SET due_at = :now WHERE crawl_id = :crawlId AND status = 'queued' AND due_at IS NULL`, {
      now,
      crawlId,
    });
  }
  const dueAt = children.due ? now + limits.leaseMs : (children.nextDueAt ?? now + idleCrawlLookMs);
  db.raw(`UPDATE crawl SET due_at = :dueAt WHERE id = :crawlId AND status IN ('queued', 'started')`, {
    dueAt,
    crawlId,
  });
  return false;
}

/** Nothing is to be done for a sealed crawl any more. */
export function settleSealedCrawl(db: Db, crawlId: string): void {
  db.raw(`UPDATE crawl SET due_at = NULL WHERE id = :crawlId AND status = 'sealed'`, { crawlId });
}

function sealCrawl(db: Db, crawl: CrawlRow, reason: string | null, now: number): void {
  const started = transition('crawl', crawl.status, 'start');
  const next = transition('crawl', started.status, 'seal');
  db.raw(
    `UPDATE crawl SET status = :status, due_at = :dueAt, stop_reason = coalesce(:reason, stop_reason), lease_owner = NULL,
        lease_expires_at = NULL, modified_at = :now, revision = revision + 1
      WHERE id = :id AND status IN ('queued', 'started')`,
    { id: crawl.id, status: next.status, dueAt: dueAfter(next.due, now, limits.leaseMs), reason, now },
  );
}

interface ChildState {
  any: boolean;
  open: boolean;
  due: boolean;
  nextDueAt: number | undefined;
}

/** Point lookups, however many snapshots the crawl has. */
function childState(db: Db, crawlId: string, now: number): ChildState {
  const exists = (condition: string): boolean =>
    db.raw(`SELECT 1 FROM snapshot WHERE crawl_id = :crawlId${condition} LIMIT 1`, { crawlId }).length > 0;
  const times = (['queued', 'started'] as const).flatMap((status) =>
    db
      .raw<{ at: number }>(
        `SELECT due_at AS at FROM snapshot WHERE crawl_id = :crawlId AND status = :status AND due_at IS NOT NULL
          ORDER BY due_at LIMIT 1`,
        { crawlId, status },
      )
      .map((row) => row.at),
  );
  const earliest = times.length > 0 ? Math.min(...times) : undefined;
  const open =
    earliest !== undefined || lifecycleStatuses.some((status) => isOpen(status) && exists(` AND status = '${status}'`));
  return {
    any: open || exists(''),
    open,
    due: earliest !== undefined && earliest <= now,
    nextDueAt: earliest,
  };
}

function isOpen(status: LifecycleStatus): boolean {
  return status !== 'sealed';
}

export interface Outlink {
  url: string;
  title?: string | undefined;
  /** Plugin that found it. */
  plugin: string;
}

/**
 * Links found in a snapshot become its children; addresses the crawl or, with `ONLY_NEW`, the collection knows are left
 * alone. Nothing is made once the crawl is paused, cancelled or stopped by size or time. Call inside `write`.
 */
export function recordOutlinks(
  db: Db,
  parent: { id: string; depth: number; crawlId: string },
  links: readonly Outlink[],
  now: number,
): number {
  const crawl = findCrawl(db, parent.crawlId);
  if (!crawl || crawl.status !== 'started' || parent.depth >= crawl.max_depth) return 0;
  if (reachedLimit(crawl, now) !== undefined) return 0;
  let left = addressesLeft(db, crawl);
  let made = 0;
  for (const { url, title, plugin } of links) {
    if (findSnapshotOfCrawl(db, crawl.id, url) || keptElsewhere(db, crawl, url) !== undefined) continue;
    if (left <= 0) {
      noteStopReason(db, crawl.id, stopReasons.crawlMaxUrls, now);
      break;
    }
    const facts = submittedSnapshot(crawl, { ok: true, url, title, tags: [] }, now);
    const place = { depth: parent.depth + 1, parentSnapshotId: parent.id, foundBy: plugin };
    ensureSnapshot(db, { ...facts, ...place, titleOrigin: 'hook' }, now);
    left -= 1;
    made += 1;
  }
  return made;
}
