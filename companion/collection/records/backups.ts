import type { Digest } from '../../../shared/digest/digest.ts';
import { sqlBuilder, type Db } from '../database.ts';
import { newRow } from './common.ts';
import type { BackupRow } from './tables.ts';

/** A backup begins. Call inside `write`. */
export function insertBackup(db: Db, folder: string, now: number): BackupRow {
  const row: BackupRow = { ...newRow(now), folder, finished_at: null, blobs: 0, bytes: 0 };
  db.run(sqlBuilder.insertInto('backup').values(row));
  return row;
}

/** It is whole and synced. Call inside `write`. */
export function finishBackup(db: Db, id: string, figures: { blobs: number; bytes: number }, now: number): void {
  const done = { ...figures, finished_at: now, modified_at: now };
  db.run(sqlBuilder.updateTable('backup').set(done).where('id', '=', id));
}

/** When the last backup was finished; undefined when there was none. */
export function lastBackup(db: Db): BackupRow | undefined {
  return db.first(
    sqlBuilder
      .selectFrom('backup')
      .selectAll()
      .where('finished_at', 'is not', null)
      .orderBy('finished_at', 'desc')
      .limit(1),
  );
}

export interface NeededBlob {
  digest: Digest;
  /** Skeleton and parts are all it has. */
  isSplit: boolean;
}

/** Every blob that rows refer to, behind `after` in the order of digests: outputs, their parts, texts of crawls. */
export function neededBlobs(db: Db, after: string, limit: number): NeededBlob[] {
  const rows = db.raw<{ digest: Digest; is_split: number | null }>(
    `SELECT digest, max(is_split) AS is_split FROM (
       SELECT * FROM (SELECT DISTINCT output.digest, blob.is_split FROM output LEFT JOIN blob USING (digest)
         WHERE output.digest > :after ORDER BY output.digest LIMIT :limit)
       UNION ALL
       SELECT * FROM (SELECT DISTINCT part AS digest, 0 FROM blob_part
         WHERE part > :after AND EXISTS (SELECT 1 FROM output WHERE output.digest = whole) ORDER BY part LIMIT :limit)
       UNION ALL
       SELECT * FROM (SELECT DISTINCT input AS digest, 0 FROM crawl WHERE input > :after ORDER BY input LIMIT :limit))
     GROUP BY digest ORDER BY digest LIMIT :limit`,
    { after, limit },
  );
  return rows.map((row) => ({ digest: row.digest, isSplit: row.is_split === 1 }));
}

const reminderMs = 30 * 24 * 3600_000;

/** One sentence when there was no backup for 30 days, nor since the collection was begun. */
export function backupReminder(db: Db, now: number): string | undefined {
  const last = lastBackup(db)?.finished_at ?? undefined;
  const begun = db.first(sqlBuilder.selectFrom('user').select('created_at').orderBy('created_at').limit(1))?.created_at;
  const since = last ?? begun ?? now;
  if (now - since < reminderMs) return undefined;
  const days = Math.floor((now - since) / (24 * 3600_000));
  const what = last === undefined ? 'There is no backup of this collection yet' : `The last backup is ${days} days old`;
  return `${what}; "holdfast backup <folder on another disk>" makes one.`;
}
