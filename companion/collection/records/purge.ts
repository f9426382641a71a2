import { sqlBuilder, type Db } from '../database.ts';
import type { SnapshotRow } from './tables.ts';

/** Snapshots whose time has come and that nobody works on: in the trash for long enough, or past their retention. */
export function expiredSnapshots(db: Db, now: number, limit: number): SnapshotRow[] {
  return db.raw<SnapshotRow>(
    `SELECT * FROM snapshot WHERE delete_at IS NOT NULL AND delete_at <= :now AND status = 'sealed'
        AND lease_owner IS NULL AND NOT EXISTS (SELECT 1 FROM process
          WHERE process.snapshot_id = snapshot.id AND process.status = 'running')
      ORDER BY delete_at LIMIT :limit`,
    { now, limit },
  );
}

/**
 * Deletes one snapshot for good: its rows go, a tombstone says so to clients that return and names the folder until
 * that is gone. Call inside `write`. False when it is no longer due for it.
 */
export function purgeSnapshot(db: Db, id: string, folder: string, now: number): boolean {
  const [row] = db.raw<{ url: string }>(
    `DELETE FROM snapshot WHERE id = :id AND delete_at <= :now AND status = 'sealed' AND lease_owner IS NULL RETURNING url`,
    { id, now },
  );
  if (!row) return false;
  db.raw(`DELETE FROM process WHERE snapshot_id = :id AND status = 'exited'`, { id });
  const tombstone = { id, kind: 'snapshot', url: row.url, deleted_at: now, folder };
  db.run(
    sqlBuilder
      .insertInto('tombstone')
      .values(tombstone)
      .onConflict((on) => on.doNothing()),
  );
  return true;
}

/** Folders of what was deleted that are still there, relative to the data folder. */
export function foldersToRemove(db: Db, limit: number): { id: string; folder: string }[] {
  return db.raw(`SELECT id, folder FROM tombstone WHERE folder IS NOT NULL LIMIT :limit`, { limit });
}

/** The folder of a deleted snapshot is gone. Call inside `write`. */
export function folderRemoved(db: Db, id: string): void {
  db.raw(`UPDATE tombstone SET folder = NULL WHERE id = :id`, { id });
}
