import fs from 'node:fs/promises';
import path from 'node:path';
import type { Digest } from '../../shared/digest/digest.ts';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { DiskBlobStore } from './blobs/blob-store.ts';
import { Db } from './database.ts';
import { errnoOf, syncFolder } from './durable-files.ts';
import { namesIn } from './folders.ts';
import { indexFileNames, Layout } from './layout.ts';
import { openCollection, type Collection } from './open-collection.ts';
import { recordBlob } from './records/blobs.ts';
import { insertRows, settleReferences } from './records/insert-rows.ts';
import type { RowLine } from './records/row-lines.ts';

export interface RebuildOptions {
  now: number;
  /** Keeps a database that has rows aside instead of refusing. */
  isReplacing: boolean;
  /** Hears of index files that cannot be read, relative to the data folder. */
  onUnreadable: (file: string) => void;
}

export interface RebuildReport {
  snapshots: number;
  unreadable: number;
  /** Where the database before lies, if there was one. */
  aside: string | undefined;
}

/**
 * Makes the rows anew from the index files of the snapshots' folders and the blobs, in a new database that takes its
 * place when it is whole; what lay there stays beside it. Throws `conflict` when the present one has rows and may not
 * be replaced. Nobody else may have the collection open.
 */
export async function rebuildRows(root: string, options: RebuildOptions): Promise<RebuildReport> {
  const layout = new Layout(root);
  if (!options.isReplacing && hasRows(layout.database()))
    throw new HoldfastError(
      'conflict',
      'The database has rows; with --replace it is kept aside and a new one is made from the files.',
    );
  const scratch = path.join(layout.runtime(), 'rebuild');
  await fs.rm(scratch, { recursive: true, force: true });
  const collection = await openCollection(scratch);
  let report: Omit<RebuildReport, 'aside'>;
  try {
    report = await fill(collection, layout, options);
    collection.db.connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    collection.close();
  }
  const aside = await moveAside(layout, options.now);
  await fs.rename(path.join(scratch, path.basename(layout.database())), layout.database());
  await syncFolder(layout.root);
  await fs.rm(scratch, { recursive: true, force: true });
  return { ...report, aside };
}

/** A database too damaged to say so counts as one without rows. */
function hasRows(file: string): boolean {
  try {
    const db = new Db(file, { isReadOnly: true });
    try {
      return db.raw('SELECT 1 FROM crawl LIMIT 1').length > 0;
    } finally {
      db.close();
    }
  } catch {
    return false; // Absent or damaged: exactly what a rebuild is for; it is kept aside all the same.
  }
}

async function fill(
  collection: Collection,
  layout: Layout,
  options: RebuildOptions,
): Promise<Omit<RebuildReport, 'aside'>> {
  const { db } = collection;
  const report = { snapshots: 0, unreadable: 0 };
  // Rows come in the order of the folders; what they refer to may come later.
  db.connection.pragma('foreign_keys = OFF');
  for await (const file of indexFiles(layout)) {
    const lines = await readRowLines(file);
    if (!lines) {
      report.unreadable += 1;
      options.onUnreadable(path.relative(layout.root, file));
      continue;
    }
    await db.write(() => insertRows(db, lines, collection.machineId));
    await recordBlobs(collection, layout, lines);
    report.snapshots += 1;
  }
  await db.write(() => settleReferences(db, collection.owner.name));
  const broken = db.connection.pragma('foreign_key_check') as unknown[];
  if (broken.length > 0) throw new HoldfastError('internal', 'The rows in the files do not fit together; keep a copy.');
  return report;
}

async function recordBlobs(collection: Collection, layout: Layout, lines: readonly RowLine[]): Promise<void> {
  const blobs = new DiskBlobStore(layout);
  for (const { table, row } of lines) {
    if (table !== 'output') continue;
    const digest = row['digest'] as Digest;
    const recipe = await blobs.recipe(digest);
    const stored = { digest, size: Number(row['size']), recipe };
    await collection.db.write(() => recordBlob(collection.db, stored, Number(row['created_at'])));
  }
}

/** Undefined when it is cut off, or of a version that held no rows. */
async function readRowLines(file: string): Promise<RowLine[] | undefined> {
  try {
    const text = await fs.readFile(file, 'utf8');
    const lines = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as RowLine);
    const rows = lines.filter((line) => line.type === 'Row');
    return rows.some(({ table }) => table === 'snapshot') ? rows : undefined;
  } catch {
    return undefined; // Named to the caller, who goes on with the other pages.
  }
}

async function* indexFiles(layout: Layout): AsyncGenerator<string> {
  const users = path.join(layout.archive(), 'users');
  for (const user of await namesIn(users)) {
    const snapshots = path.join(users, user, 'snapshots');
    for (const day of (await namesIn(snapshots)).sort()) {
      for (const domain of await namesIn(path.join(snapshots, day))) {
        for (const id of (await namesIn(path.join(snapshots, day, domain))).sort())
          yield path.join(snapshots, day, domain, id, indexFileNames.records);
      }
    }
  }
}

async function moveAside(layout: Layout, now: number): Promise<string | undefined> {
  const stamp = new Date(now).toISOString().replaceAll(/[-:.]/g, '');
  const aside = path.join(layout.root, `collection-before-rebuild-${stamp}.sqlite3`);
  for (const suffix of ['-wal', '-shm', '']) {
    await fs.rename(layout.database() + suffix, aside + suffix).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error;
    });
  }
  return (await namesIn(layout.root)).includes(path.basename(aside)) ? aside : undefined;
}
