import type { Digest } from '../../../shared/digest/digest.ts';
import { sqlBuilder, type Db } from '../database.ts';
import type { BlobRow, SnapshotRow } from './tables.ts';

export interface BlobToCheck {
  digest: Digest;
  size: number;
  isSplit: boolean;
}

type CheckRow = Pick<BlobRow, 'size' | 'is_split'> & { digest: Digest };

function toBlobToCheck(row: CheckRow): BlobToCheck {
  return { digest: row.digest, size: row.size, isSplit: row.is_split === 1 };
}

/**
 * Blobs in the order they should be looked at: never checked first, then the longest unchecked; only those not
 * checked since `before` (milliseconds).
 */
export function blobsToCheck(db: Db, before: number, limit: number): BlobToCheck[] {
  const rows = db.raw<CheckRow>(
    `SELECT digest, size, is_split FROM blob WHERE checked_at IS NULL
      UNION ALL SELECT * FROM (SELECT digest, size, is_split FROM blob
        WHERE checked_at < :before ORDER BY checked_at, digest LIMIT :limit)
      LIMIT :limit`,
    { before, limit },
  );
  return rows.map(toBlobToCheck);
}

/** A random share of the blobs behind `after` in the order of their digests. `share` 0 to 1. */
export function sampleBlobs(db: Db, after: string, share: number, limit: number): BlobToCheck[] {
  const rows = db.raw<CheckRow>(
    `SELECT digest, size, is_split FROM blob
      WHERE digest > :after AND abs(random() % 1000000) < :share * 1000000 ORDER BY digest LIMIT :limit`,
    { after, share, limit },
  );
  return rows.map(toBlobToCheck);
}

/** Notes when blobs were looked at and what was wrong (null: nothing). Call inside `write`. */
export function noteChecks(db: Db, checks: readonly { digest: Digest; damage: string | null }[], now: number): void {
  for (const { digest, damage } of checks) {
    db.run(sqlBuilder.updateTable('blob').set({ checked_at: now, damage }).where('digest', '=', digest));
  }
}

/** Texts of crawls, which have no blob rows; in the order of their digests. */
export function crawlInputs(db: Db, after: string, limit: number): Digest[] {
  const rows = db.raw<{ input: Digest }>(
    `SELECT DISTINCT input FROM crawl WHERE input > :after ORDER BY input LIMIT :limit`,
    { after, limit },
  );
  return rows.map((row) => row.input);
}

/** Snapshots in the order of their ids, those in the trash too: their files must come back with them. */
export function snapshotsAfter(db: Db, after: string, limit: number): SnapshotRow[] {
  return db.all(sqlBuilder.selectFrom('snapshot').selectAll().where('id', '>', after).orderBy('id').limit(limit));
}

/** Snapshots that show these bytes. */
export function snapshotsShowing(db: Db, digests: readonly Digest[]): SnapshotRow[] {
  return db.raw<SnapshotRow>(
    `SELECT * FROM snapshot WHERE id IN (
       SELECT snapshot_id FROM json_each(:digests) JOIN output ON output.digest = value
         JOIN archive_result ON archive_result.id = output.result_id)`,
    { digests: JSON.stringify(digests) },
  );
}

/** Blobs whose last look found something wrong. */
export function countDamaged(db: Db): number {
  // The condition on the digest makes it a search in the small index of damaged blobs.
  const sql = `SELECT count(*) AS n FROM blob WHERE damage IS NOT NULL AND digest > ''`;
  return db.raw<{ n: number }>(sql)[0]?.n ?? 0;
}
