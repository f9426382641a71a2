import fs from 'node:fs/promises';
import path from 'node:path';
import type { Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { Db } from '../database.ts';
import { BlobFolder } from '../blobs/blob-folder.ts';
import { syncFolder } from '../durable-files.ts';
import { namesIn } from '../folders.ts';
import type { Collection } from '../open-collection.ts';
import { finishBackup, insertBackup, neededBlobs } from '../records/backups.ts';
import { unreferencedDigests } from '../records/references.ts';
import { BackupFolder, type BackupVersion } from './backup-folder.ts';
import { copyBlob } from './copy-verified.ts';

export interface BackupOptions {
  now: () => number;
  /** Dated versions that stay, this one counted. */
  keep: number;
  /** Hears of blobs that are missing or damaged in the collection; the rest is backed up all the same. */
  onLacking: (problem: { kind: 'missing' | 'damaged'; digest: Digest }) => void;
}

export interface BackupReport {
  version: string;
  /** Newly copied. */
  blobs: number;
  bytes: number;
  lacking: number;
  removedVersions: number;
}

const rowsPerLook = 500;
/** Waiting for a sync is most of a small file's copy. */
const copiesAtOnce = 4;
/** Pages may be deleted for good while their bytes are copied: then the rows are taken anew. */
const attemptsMax = 5;

/**
 * Adds one dated version to a folder of backups: the database as it was at one moment, settings, personas and plugins,
 * and every blob its rows need that is not there yet. The version gets its name when everything in it is synced;
 * whatever ends it before leaves the earlier ones as they were. The companion may go on working meanwhile.
 */
export async function backUp(collection: Collection, dir: string, options: BackupOptions): Promise<BackupReport> {
  const folder = new BackupFolder(await checkPlace(collection, dir));
  await folder.claim(collection.owner.id);
  const startedAt = options.now();
  const row = await collection.db.write(() => insertBackup(collection.db, folder.root, startedAt));
  const version = await folder.beginVersion(startedAt);
  const copied = await copyConsistently(collection, folder, version.folder);
  for (const problem of copied.lacking) options.onLacking(problem);
  await copySettings(collection, version.folder);
  await syncTree(version.folder);
  await folder.commitVersion(version, {
    created_at: new Date(startedAt).toISOString(),
    blobs: copied.blobs,
    bytes: copied.bytes,
    lacking: copied.lacking.map(({ digest }) => digest),
  });
  const { blobs, bytes } = copied;
  await collection.db.write(() => finishBackup(collection.db, row.id, { blobs, bytes }, options.now()));
  const removedVersions = await dropOldVersions(folder, options.keep);
  return { version: version.name, blobs, bytes, lacking: copied.lacking.length, removedVersions };
}

/** The absolute folder. Throws `bad_request` when it lies inside the data folder or the data folder in it. */
async function checkPlace(collection: Collection, dir: string): Promise<string> {
  const root = await fs.realpath(collection.root);
  const target = await resolveReal(path.resolve(dir));
  const isInside = (inner: string, outer: string): boolean => inner === outer || inner.startsWith(outer + path.sep);
  if (isInside(target, root) || isInside(root, target))
    throw new HoldfastError(
      'bad_request',
      `A backup cannot lie in the collection's own folder (${root}) or around it; name one on another disk.`,
    );
  return target;
}

/** With links resolved as far as the path exists. */
async function resolveReal(file: string): Promise<string> {
  const [real] = await Promise.allSettled([fs.realpath(file)]);
  if (real.status === 'fulfilled') return real.value;
  return path.join(await resolveReal(path.dirname(file)), path.basename(file));
}

interface Copied {
  blobs: number;
  bytes: number;
  lacking: { kind: 'missing' | 'damaged'; digest: Digest }[];
}

/** Rows first, then the bytes they name; bytes that vanished because their page was deleted mean newer rows. */
async function copyConsistently(collection: Collection, folder: BackupFolder, version: string): Promise<Copied> {
  const database = path.join(version, 'collection.sqlite3');
  const total: Copied = { blobs: 0, bytes: 0, lacking: [] };
  for (let attempt = 1; ; attempt += 1) {
    await fs.rm(database, { force: true });
    collection.db.connection.prepare('VACUUM INTO ?').run(database);
    const round = await copyBlobs(collection, folder, database);
    total.blobs += round.blobs;
    total.bytes += round.bytes;
    total.lacking = round.lacking;
    const missing = round.lacking.map(({ digest }) => digest);
    if (attempt === attemptsMax || unreferencedDigests(collection.db, missing).size === 0) return total;
  }
}

async function copyBlobs(collection: Collection, folder: BackupFolder, database: string): Promise<Copied> {
  const rows = new Db(database, { isReadOnly: true });
  const from = new BlobFolder(collection.layout.blobs());
  const total: Copied = { blobs: 0, bytes: 0, lacking: [] };
  const copyOne = async (digest: Digest): Promise<void> => {
    let { outcome, bytes } = await copyBlob(from, folder.blobs, digest);
    // Away from its name for a moment while prune looks at it.
    if (outcome === 'missing') ({ outcome, bytes } = await copyBlob(from, folder.blobs, digest));
    if (outcome === 'copied') total.blobs += 1;
    total.bytes += bytes;
    if (outcome === 'missing' || outcome === 'damaged') total.lacking.push({ kind: outcome, digest });
  };
  try {
    for (let after = ''; ;) {
      const needed = neededBlobs(rows, after, rowsPerLook);
      if (needed.length === 0) return total;
      after = needed.at(-1)!;
      const queue = [...needed];
      const work = async (): Promise<void> => {
        for (let digest = queue.pop(); digest !== undefined; digest = queue.pop()) await copyOne(digest);
      };
      await Promise.all(Array.from({ length: copiesAtOnce }, work));
    }
  } finally {
    rows.close();
  }
}

async function copySettings({ layout }: Collection, version: string): Promise<void> {
  for (const source of [layout.settings(), layout.personas(), layout.plugins()]) {
    const [stat] = await Promise.allSettled([fs.stat(source)]);
    if (stat.status === 'rejected') continue;
    const filter = async (file: string): Promise<boolean> => {
      const entry = await fs.lstat(file);
      return entry.isFile() || entry.isDirectory();
    };
    await fs.cp(source, path.join(version, path.basename(source)), { recursive: true, filter });
  }
}

async function syncTree(folder: string): Promise<void> {
  for (const entry of await fs.readdir(folder, { recursive: true, withFileTypes: true })) {
    const handle = await fs.open(path.join(entry.parentPath, entry.name), 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
  await syncFolder(folder);
}

/** Removes the oldest versions and the blobs that none of those left needs. */
async function dropOldVersions(folder: BackupFolder, keep: number): Promise<number> {
  const versions = await folder.versions();
  const old = versions.slice(0, Math.max(0, versions.length - keep));
  for (const version of old) await folder.removeVersion(version);
  if (old.length > 0) await dropUnneededBlobs(folder, versions.slice(old.length));
  return old.length;
}

async function dropUnneededBlobs(folder: BackupFolder, versions: readonly BackupVersion[]): Promise<void> {
  const rows = versions.map((version) => new Db(path.join(version.folder, 'collection.sqlite3'), { isReadOnly: true }));
  try {
    for (const letters of await namesIn(folder.blobs.root)) {
      const inside = path.join(folder.blobs.root, letters);
      const names = await namesIn(inside);
      let unneeded = names.flatMap((name) => {
        const hex = /^([0-9a-f]{64})(\.parts)?$/.exec(name)?.[1];
        return hex === undefined ? [] : [`sha256:${hex}` as Digest];
      });
      for (const db of rows) unneeded = [...unreferencedDigests(db, unneeded)];
      const gone = new Set(unneeded.map((digest) => digest.slice('sha256:'.length)));
      for (const name of names) {
        if (gone.has(name.slice(0, 64)) || name.endsWith('.tmp')) await fs.rm(path.join(inside, name), { force: true });
      }
    }
  } finally {
    for (const db of rows) db.close();
  }
}
