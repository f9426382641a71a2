import type { Db } from '../database.ts';

/** Snapshots nobody works on whose index files are older than their rows. */
export function staleSnapshotIds(db: Db, limit: number): string[] {
  const rows = db.raw<{ id: string }>(
    `SELECT id FROM snapshot WHERE index_stale = 1 AND status IN ('sealed', 'paused') AND lease_owner IS NULL
      ORDER BY id LIMIT :limit`,
    { limit },
  );
  return rows.map((row) => row.id);
}

/** The index files say what the row says, unless it changed meanwhile. Call inside `write`. */
export function clearIndexStale(db: Db, snapshotId: string, revision: number): void {
  db.raw(`UPDATE snapshot SET index_stale = 0 WHERE id = :snapshotId AND revision = :revision`, {
    snapshotId,
    revision,
  });
}
