import fs from 'node:fs/promises';
import path from 'node:path';
import type { Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { Db } from '../database.ts';
import { BlobFolder } from '../blobs/blob-folder.ts';
import { ensureFolder, syncFolder } from '../durable-files.ts';
import { namesIn } from '../folders.ts';
import { writeIndexFiles } from '../index-file.ts';
import { Layout } from '../layout.ts';
import { openCollection, type Collection } from '../open-collection.ts';
import { neededBlobs } from '../records/backups.ts';
import { snapshotsAfter } from '../records/fixity.ts';
import { endAllProcesses } from '../records/processes.ts';
import { BackupFolder, type BackupVersion } from './backup-folder.ts';
import { copyBlob } from './copy-verified.ts';

export interface RestoreOptions {
  now: () => number;
  /** Name of a dated version; the last one when left out. */
  version?: string | undefined;
  /** Hears of blobs that the backup itself lacks or holds damaged. */
  onLacking: (problem: { kind: 'missing' | 'damaged'; digest: Digest }) => void;
}

export interface RestoreReport {
  version: string;
  blobs: number;
  bytes: number;
  snapshots: number;
  lacking: number;
}

const rowsPerLook = 200;

/**
 * Brings a version of a backup to an empty place: every blob verified while it is copied, folders linked anew. It is
 * made beside the place and moved there when it is whole; the same command again goes on after an interruption.
 */
export async function restoreBackup(dir: string, target: string, options: RestoreOptions): Promise<RestoreReport> {
  const folder = new BackupFolder(path.resolve(dir));
  await folder.requireMark();
  const version = await chooseVersion(folder, options.version);
  const place = path.resolve(target);
  if ((await namesIn(place)).length > 0)
    throw new HoldfastError('conflict', `${place} is not empty; name an empty or new folder with --to.`);
  const staging = new Layout(`${place}.restoring`);
  await ensureFolder(staging.root);
  await fs.chmod(staging.root, 0o700);
  await copyRows(version, staging);
  const copied = await copyBlobs(folder, staging, options);
  const collection = await openCollection(staging.root);
  let snapshots: number;
  try {
    await collection.db.write(() => endAllProcesses(collection.db, options.now()));
    snapshots = await linkFolders(collection);
    collection.db.connection.pragma('wal_checkpoint(TRUNCATE)');
  } finally {
    collection.close();
  }
  await moveIntoPlace(staging.root, place);
  return { version: version.name, snapshots, ...copied };
}

async function chooseVersion(folder: BackupFolder, name: string | undefined): Promise<BackupVersion> {
  const versions = await folder.versions();
  const chosen = name === undefined ? versions.at(-1) : versions.find((version) => version.name === name);
  if (chosen) return chosen;
  const there = versions.map((version) => version.name).join(', ');
  throw new HoldfastError(
    'not_found',
    there === '' ? `${folder.root} holds no complete backup.` : `There is no version ${name}; there are ${there}.`,
  );
}

/** Database, settings, personas and plugins; what an earlier attempt left of them is replaced. */
async function copyRows(version: BackupVersion, staging: Layout): Promise<void> {
  for (const suffix of ['', '-wal', '-shm']) await fs.rm(staging.database() + suffix, { force: true });
  for (const name of await namesIn(version.folder)) {
    if (name !== 'backup.json')
      await fs.cp(path.join(version.folder, name), path.join(staging.root, name), { recursive: true });
  }
}

async function copyBlobs(
  folder: BackupFolder,
  staging: Layout,
  options: RestoreOptions,
): Promise<{ blobs: number; bytes: number; lacking: number }> {
  const rows = new Db(staging.database());
  const to = new BlobFolder(staging.blobs());
  const total = { blobs: 0, bytes: 0, lacking: 0 };
  try {
    for (let after = ''; ;) {
      const needed = neededBlobs(rows, after, rowsPerLook);
      if (needed.length === 0) return total;
      after = needed.at(-1)!;
      for (const digest of needed) {
        const { outcome, bytes } = await copyBlob(folder.blobs, to, digest);
        if (outcome === 'copied') total.blobs += 1;
        total.bytes += bytes;
        if (outcome !== 'missing' && outcome !== 'damaged') continue;
        total.lacking += 1;
        options.onLacking({ kind: outcome, digest });
      }
    }
  } finally {
    rows.close();
  }
}

/** A snapshot that lacks bytes keeps its rows; its folder shows what is there. */
async function linkFolders(collection: Collection): Promise<number> {
  let count = 0;
  for (let after = ''; ;) {
    const rows = snapshotsAfter(collection.db, after, rowsPerLook);
    if (rows.length === 0) return count;
    for (const row of rows) {
      await writeIndexFiles(collection, row.id).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
      });
    }
    count += rows.length;
    after = rows.at(-1)!.id;
  }
}

async function moveIntoPlace(staging: string, place: string): Promise<void> {
  await fs.rmdir(place).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  });
  await fs.rename(staging, place);
  await syncFolder(path.dirname(place));
}
