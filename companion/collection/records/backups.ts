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

/** Every blob that rows refer to, behind `after` in the order of digests: outputs, their parts, texts of crawls. */
export function neededBlobs(db: Db, after: string, limit: number): Digest[] {
  const rows = db.raw<{ digest: Digest }>(
    `SELECT digest FROM (
       SELECT * FROM (SELECT DISTINCT digest FROM output WHERE digest > :after ORDER BY digest LIMIT :limit)
       UNION
       SELECT * FROM (SELECT DISTINCT part AS digest FROM blob_part
         WHERE part > :after AND EXISTS (SELECT 1 FROM output WHERE output.digest = whole) ORDER BY part LIMIT :limit)
       UNION
       SELECT * FROM (SELECT DISTINCT input AS digest FROM crawl WHERE input > :after ORDER BY input LIMIT :limit))
     ORDER BY digest LIMIT :limit`,
    { after, limit },
  );
  return rows.map((row) => row.digest);
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
