import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { within } from './layout.ts';
import { folderFacts } from './links.ts';
import type { Collection } from './open-collection.ts';
import { expiredSnapshots, folderRemoved, foldersToRemove, purgeSnapshot } from './records/purge.ts';

export interface PurgeOptions {
  now: number;
  /** Asked between batches. */
  isWanted?: () => boolean;
}

const batchRows = 100;
/** A batch is ended by this time, and the lock left free for others between two (DESIGN section 3). */
const batchMs = 200;
const pauseMs = 20;

/**
 * Deletes for good what is due for it: rows with a tombstone first, in one transaction for each batch, then the
 * folders with their links. Bytes that nobody needs any more are left to `pruneBlobs`. Answers how many snapshots went.
 */
export async function purgeExpired(collection: Collection, options: PurgeOptions): Promise<number> {
  let purged = 0;
  for (;;) {
    await removeFolders(collection, options);
    if (options.isWanted?.() === false) return purged;
    const rows = expiredSnapshots(collection.db, options.now, batchRows);
    if (rows.length === 0) return purged;
    const gone = await collection.db.write(() => {
      const until = performance.now() + batchMs;
      let count = 0;
      for (const row of rows) {
        const folder = collection.layout.snapshotRelative(folderFacts(collection, row));
        if (purgeSnapshot(collection.db, row.id, folder, options.now)) count += 1;
        if (performance.now() > until) break;
      }
      return count;
    });
    // Nothing could go: somebody took all of them up at this moment.
    if (gone === 0) return purged;
    purged += gone;
    collection.bell.ring();
    await wait(pauseMs);
  }
}

/** Folders that a tombstone still names; a crash may have left some. */
async function removeFolders({ db, layout }: Collection, options: PurgeOptions): Promise<void> {
  for (;;) {
    const folders = foldersToRemove(db, batchRows);
    if (folders.length === 0 || options.isWanted?.() === false) return;
    for (const { folder } of folders)
      await fs.rm(within(layout.root, folder), { recursive: true, force: true, maxRetries: 3 });
    for (const { folder } of folders) await removeIfEmpty(path.dirname(within(layout.root, folder)));
    await db.write(() => {
      for (const { id } of folders) folderRemoved(db, id);
    });
  }
}

/** The folder of a site on a day, when its last page went. */
async function removeIfEmpty(folder: string): Promise<void> {
  await fs.rmdir(folder).catch((error: unknown) => {
    const isExpected =
      error instanceof Error && 'code' in error && ['ENOTEMPTY', 'ENOENT'].includes(String(error.code));
    if (!isExpected) throw error;
  });
}
