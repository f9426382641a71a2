import { parseSize } from '../../../shared/words/sizes.ts';
import type { Db } from '../database.ts';
import { parseObject } from './common.ts';
import { wakeFinishedCrawl } from './leases.ts';
import type { CrawlRow } from './tables.ts';

/** Why a crawl or one of its snapshots ended without running everything (reference 4.6). */
export const stopReasons = {
  cancelled: 'cancelled',
  noViableUrls: 'no_viable_urls',
  crawlMaxUrls: 'crawl_max_urls',
  crawlMaxSize: 'crawl_max_size',
  crawlTimeout: 'crawl_timeout',
  snapshotMaxSize: 'snapshot_max_size',
} as const;

/** Limits frozen in a crawl's configuration; 0 means none. */
interface CrawlLimits {
  /** Addresses, submitted and discovered ones together. */
  urlsMax: number;
  /** Bytes of all outputs of its hooks. */
  bytesMax: number;
  /** Milliseconds since its first snapshot was begun. */
  timeMaxMs: number;
}

function crawlLimits(crawl: Pick<CrawlRow, 'config'>): CrawlLimits {
  const config = parseObject(crawl.config);
  return {
    urlsMax: Number(config['CRAWL_MAX_URLS'] ?? 0) || 0,
    bytesMax: parseSize(config['CRAWL_MAX_SIZE'] ?? 0) ?? 0,
    timeMaxMs: (Number(config['CRAWL_TIMEOUT'] ?? 0) || 0) * 1000,
  };
}

/** Snapshots of one crawl that may be under way at once, `Infinity` when it says nothing itself. */
export function snapshotsAtOnce(crawl: CrawlRow | undefined): number {
  const value = Number(crawl && parseObject(crawl.config)['CRAWL_MAX_CONCURRENT_SNAPSHOTS']);
  return value >= 1 ? value : Number.POSITIVE_INFINITY;
}

/** Size or time is used up: what waits at depth 1 and deeper is not run any more. Undefined while there is room. */
export function reachedLimit(crawl: CrawlRow, now: number): string | undefined {
  const { bytesMax, timeMaxMs } = crawlLimits(crawl);
  if (bytesMax > 0 && crawl.fetched_bytes >= bytesMax) return stopReasons.crawlMaxSize;
  const isLate = timeMaxMs > 0 && crawl.first_run_at !== null && now - crawl.first_run_at >= timeMaxMs;
  return isLate ? stopReasons.crawlTimeout : undefined;
}

/** Rows of one batch: some milliseconds, so that nobody waits for the lock. */
const batchRows = 500;

/**
 * When size or time of a crawl is used up: writes the reason on the crawl and seals a batch of its waiting snapshots of
 * depth 1 and deeper without running them. Call inside `write`, until it answers 0.
 */
export function sealBeyondLimits(db: Db, crawl: CrawlRow, now: number): number {
  const reason = reachedLimit(crawl, now);
  if (reason === undefined || (crawl.status !== 'queued' && crawl.status !== 'started')) return 0;
  noteStopReason(db, crawl.id, reason, now);
  const sealed = db.raw(
    `UPDATE snapshot SET status = 'sealed', due_at = NULL, stop_reason = :reason, index_stale = 1, modified_at = :now,
        revision = revision + 1
      WHERE id IN (SELECT id FROM snapshot WHERE crawl_id = :crawlId AND status = 'queued' AND depth > 0
        AND lease_owner IS NULL LIMIT ${batchRows})
      RETURNING id`,
    { crawlId: crawl.id, reason, now },
  ).length;
  if (sealed > 0) wakeFinishedCrawl(db, crawl.id, now);
  return sealed;
}

/** The first reason stays. Call inside `write`. */
export function noteStopReason(db: Db, crawlId: string, reason: string, now: number): void {
  db.raw(
    `UPDATE crawl SET stop_reason = :reason, modified_at = :now, revision = revision + 1
      WHERE id = :crawlId AND stop_reason IS NULL`,
    { crawlId, reason, now },
  );
}

/** Addresses the crawl may still take, `Infinity` without a limit. */
export function addressesLeft(db: Db, crawl: CrawlRow): number {
  const { urlsMax } = crawlLimits(crawl);
  if (urlsMax === 0) return Number.POSITIVE_INFINITY;
  const [known] = db.raw<{ n: number }>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM snapshot WHERE crawl_id = :crawlId LIMIT :urlsMax)`,
    { crawlId: crawl.id, urlsMax },
  );
  return urlsMax - (known?.n ?? 0);
}

/**
 * Counts what a hook brought towards the size of its crawl, once for each run of a hook. Runs on a sealed snapshot were
 * asked for and do not count. Call inside `write`.
 */
export function countFetchedBytes(db: Db, snapshotId: string, bytes: number): void {
  if (bytes === 0) return;
  db.raw(
    `UPDATE crawl SET fetched_bytes = fetched_bytes + :bytes
      WHERE id = (SELECT crawl_id FROM snapshot WHERE id = :snapshotId AND status <> 'sealed')`,
    { snapshotId, bytes },
  );
}

/** A snapshot of the same address in another crawl, for crawls that keep only new addresses. */
export function keptElsewhere(db: Db, crawl: CrawlRow, url: string): string | undefined {
  const { ONLY_NEW } = parseObject(crawl.config);
  if (ONLY_NEW !== true) return undefined;
  return db.raw<{ id: string }>(
    `SELECT id FROM snapshot WHERE url = :url AND trashed_at IS NULL AND crawl_id <> :crawlId LIMIT 1`,
    { url, crawlId: crawl.id },
  )[0]?.id;
}
