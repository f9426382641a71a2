import fs from 'node:fs/promises';
import path from 'node:path';
import { parseDigest, type Digest } from '../../shared/digest/digest.ts';
import { HoldfastError, isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { syncFolder } from '../collection/durable-files.ts';
import { folderFacts, linkOutput } from '../collection/links.ts';
import { releaseReserve, type Collection } from '../collection/open-collection.ts';
import type { Recipe } from '../collection/split/recipe.ts';
import {
  changeResult,
  findOutput,
  findResult,
  recordOutputsOf,
  type NewOutput,
} from '../collection/records/results.ts';
import { requireSnapshot } from '../collection/records/snapshots.ts';
import type { ArchiveResultRow, SnapshotRow } from '../collection/records/tables.ts';
import { checkClash } from './room.ts';
import type { CompleteFile, Completion } from './upload-record.ts';

/**
 * The way from complete bytes to an acknowledged file (DESIGN section 5): `upload.json` with the digest is synced
 * already; now blobs, rows in one transaction, links, and only then the folder goes. Each step may be repeated after
 * a crash.
 */
export async function finishUpload(
  collection: Collection,
  folder: string,
  resultId: string,
  completion: Completion,
): Promise<ArchiveResultRow> {
  const files = await Promise.all(completion.files.map((file) => promotePart(collection, folder, file)));
  const { result, snapshot } = await withReserve(collection, () =>
    collection.db.write(() => recordFiles(collection, resultId, files, completion.changes)),
  );
  await linkFiles(collection, result, snapshot, completion.files);
  await fs.rm(folder, { recursive: true, force: true });
  collection.bell.ring();
  return result;
}

/** A file whose bytes lie in the store, with the way to join them when they are stored split. */
type PromotedFile = CompleteFile & { recipe?: Recipe | undefined };

async function promotePart(collection: Collection, folder: string, file: CompleteFile): Promise<PromotedFile> {
  const part = path.join(folder, file.part);
  const stat = await fs.stat(part).catch(() => undefined);
  if (!stat) {
    // Moved by an earlier go at this; the store is asked, not trusted.
    if ((await collection.blobs.size(file.digest)) === file.size)
      return { ...file, recipe: await collection.blobs.recipe(file.digest) };
    throw new HoldfastError('internal', `The bytes of the upload ${folder} are gone.`);
  }
  if (stat.size !== file.size)
    throw new HoldfastError('internal', `The upload ${folder} has ${stat.size} bytes, not ${file.size}.`);
  return { ...file, recipe: await collection.gate.promoteStaged(part, file.digest, file) };
}

function recordFiles(
  collection: Collection,
  resultId: string,
  files: readonly PromotedFile[],
  said: Completion['changes'],
): { result: ArchiveResultRow; snapshot: SnapshotRow } {
  const { db } = collection;
  const found = findResult(db, resultId);
  if (!found) throw new HoldfastError('deleted', 'This page was deleted from your collection while its file was sent.');
  const snapshot = requireSnapshot(db, found.snapshot_id);
  // What is recorded already, as after a lost answer, is no new input for anybody.
  const fresh = files.filter((file) => findOutput(db, resultId, file.path)?.digest !== file.digest);
  // Two uploads may have been let in before either was recorded.
  for (const file of fresh) checkClash(db, resultId, file.path);
  const changes = {
    ...said,
    status: said.status ?? statusWithFiles(found),
    origin: 'browser' as const,
  };
  const now = Date.now();
  if (fresh.length === 0) return { result: changeResult(db, found, changes, now), snapshot };
  return { result: recordOutputsOf(db, found, fresh.map(toNewOutput), changes, now), snapshot };
}

/** A result that was only announced has its files now (reference 1.4). */
function statusWithFiles(row: ArchiveResultRow): 'succeeded' | undefined {
  return row.status === 'started' ? 'succeeded' : undefined;
}

function toNewOutput(file: PromotedFile): NewOutput {
  return {
    path: file.path,
    size: file.size,
    mimetype: file.mimetype,
    declaredType: file.declared_type,
    digest: file.digest,
    recipe: file.recipe,
    upload: file.upload ?? undefined,
  };
}

/**
 * Shows recorded files in their snapshot's folder, also for rows whose links a crash prevented. The names are synced:
 * with the upload folder goes the last note that they are wanted.
 */
export async function linkFiles(
  collection: Collection,
  result: Pick<ArchiveResultRow, 'plugin'>,
  snapshot: SnapshotRow,
  files: readonly { path: string; digest: string }[],
): Promise<void> {
  const facts = folderFacts(collection, snapshot);
  const folders = new Set<string>();
  for (const file of files) {
    const link = { plugin: result.plugin, path: file.path, digest: requireDigest(file.digest) };
    for (const shown of await linkOutput(collection, facts, link))
      folders.add(path.dirname(collection.layout.output(facts, shown.plugin, shown.path)));
  }
  for (const folder of folders) await syncFolder(folder);
}

function requireDigest(text: string): Digest {
  const digest = parseDigest(text);
  if (!digest) throw new TypeError(`not a digest: ${text}`);
  return digest;
}

/**
 * On a full disk even a row cannot be written: the reserve is given up and the work tried once more, so that bytes
 * that are safe do not stay without their rows.
 */
async function withReserve<T>(collection: Collection, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isHoldfastError(error) || error.code !== 'disk_full' || !releaseReserve(collection.layout)) throw error;
    return work();
  }
}
