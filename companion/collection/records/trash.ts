import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { sqlBuilder, type Db } from '../database.ts';
import { findSnapshot, isDeleted } from './snapshots.ts';
import type { SnapshotRow } from './tables.ts';

/**
 * Moves a snapshot to the trash: gone from every list, its bytes kept for 30 days or until the trash is emptied. One
 * that was to be deleted sooner still is. Call inside `write`; true when it was not there yet.
 */
export function trashSnapshot(db: Db, id: string, now: number): boolean {
  const rows = db.raw(
    `UPDATE snapshot SET trashed_at = :now, delete_at = min(coalesce(delete_at, :until), :until), status = 'sealed',
            due_at = NULL, expected_captures = '[]', index_stale = 1, modified_at = :now, revision = revision + 1
      WHERE id = :id AND trashed_at IS NULL RETURNING id`,
    { id, now, until: now + limits.trashMs },
  );
  return rows.length === 1;
}

/**
 * Takes a snapshot out of the trash again. Call inside `write`. Throws `not_found`, `deleted` when it was deleted for
 * good, `conflict` when the same page was kept anew in its crawl meanwhile.
 */
export function restoreSnapshot(db: Db, id: string, now: number): SnapshotRow {
  const row = findSnapshot(db, id);
  if (!row && isDeleted(db, id))
    throw new HoldfastError('deleted', 'This page was deleted for good; only a backup has it.');
  if (!row) throw new HoldfastError('not_found', `There is no snapshot ${id}.`);
  if (row.trashed_at === null) return row;
  if (hasLivingTwin(db, row))
    throw new HoldfastError('conflict', 'The same page was kept again meanwhile; delete that copy first.');
  db.raw(
    `UPDATE snapshot SET trashed_at = NULL, index_stale = 1, modified_at = :now, revision = revision + 1,
            delete_at = created_at + (SELECT delete_after FROM crawl WHERE crawl.id = snapshot.crawl_id)
      WHERE id = :id`,
    { id, now },
  );
  return findSnapshot(db, id)!;
}

function hasLivingTwin(db: Db, row: SnapshotRow): boolean {
  const twins = sqlBuilder
    .selectFrom('snapshot')
    .select('id')
    .where('crawl_id', '=', row.crawl_id)
    .where('url', '=', row.url)
    .where('trashed_at', 'is', null);
  return db.first(twins) !== undefined;
}

/** Position behind the last row of a page of the trash. */
export interface TrashCursor {
  trashedAt: number;
  id: string;
}

/** What lies in the trash, the last deleted first; one keyset page. */
export function listTrash(db: Db, limit: number, after?: TrashCursor): SnapshotRow[] {
  return db.raw<SnapshotRow>(
    `SELECT * FROM snapshot WHERE trashed_at IS NOT NULL AND (trashed_at, id) < (:trashedAt, :id)
      ORDER BY trashed_at DESC, id DESC LIMIT :limit`,
    { limit, trashedAt: after?.trashedAt ?? Number.MAX_SAFE_INTEGER, id: after?.id ?? '' },
  );
}

/** Says of the next `limit` snapshots of the trash that they are to be deleted now. Call inside `write`; how many. */
export function expireTrash(db: Db, now: number, limit: number): number {
  const rows = db.raw(
    `UPDATE snapshot SET delete_at = :now WHERE id IN
       (SELECT id FROM snapshot WHERE trashed_at IS NOT NULL AND delete_at > :now LIMIT :limit) RETURNING id`,
    { now, limit },
  );
  return rows.length;
}

export interface TrashFigures {
  pages: number;
  /** Bytes on disk that nothing would need any more. */
  freeableBytes: number;
}

/**
 * What emptying the trash would free: bytes that only trashed pages have, parts of pages stored split counted for
 * themselves. Reads everything in the trash: not for the server's own connection.
 */
export function trashFigures(db: Db): TrashFigures {
  const [row] = db.raw<{ pages: number; bytes: number }>(`
    WITH doomed AS (
      SELECT DISTINCT output.digest FROM snapshot
        JOIN archive_result ON archive_result.snapshot_id = snapshot.id
        JOIN output ON output.result_id = archive_result.id
       WHERE snapshot.trashed_at IS NOT NULL
         AND NOT EXISTS (${livingOutput('output.digest')})),
    unneeded AS (
      SELECT digest FROM doomed
      UNION
      SELECT part FROM doomed JOIN blob_part ON whole = doomed.digest
       WHERE NOT EXISTS (${livingOutput('part')})
         AND NOT EXISTS (SELECT 1 FROM blob_part AS other WHERE other.part = blob_part.part
                            AND other.whole NOT IN (SELECT digest FROM doomed)))
    SELECT (SELECT count(*) FROM snapshot WHERE trashed_at IS NOT NULL) AS pages,
           (SELECT coalesce(sum(size), 0) FROM unneeded JOIN blob USING (digest)
             WHERE is_split = 0 AND NOT EXISTS (SELECT 1 FROM crawl WHERE input = digest)) AS bytes`);
  return { pages: row?.pages ?? 0, freeableBytes: row?.bytes ?? 0 };
}

const livingOutput = (digest: string): string => `SELECT 1 FROM output AS other_output
  JOIN archive_result AS other_result ON other_result.id = other_output.result_id
  JOIN snapshot AS other_snapshot ON other_snapshot.id = other_result.snapshot_id
 WHERE other_output.digest = ${digest} AND other_snapshot.trashed_at IS NULL`;
