import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Digest } from '../../shared/digest/digest.ts';
import type { ResultStatus } from '../../shared/model/states.ts';
import { sniffBytes, sniffMimetype } from '../collection/mimetypes.ts';
import type { Collection } from '../collection/open-collection.ts';
import { findOutput, mergeResult, recordOutputsOf, type ResultKey } from '../collection/records/results.ts';
import type { ArchiveResultRow, OutputRow } from '../collection/records/tables.ts';
import { knownDigests, takeBackOutput } from '../collection/records/upload-rows.ts';
import { linkFiles } from './finish.ts';
import { checkPath, checkSnapshotSize, type UploadLimits } from './room.ts';
import { requireTarget, type UploadTarget } from './targets.ts';

/** Looked up in one statement: keeps each turn on the server's connection short. */
const digestsPerStatement = 200;

/** Those of the digests that this person's collection holds, in the order they were asked for. */
export async function findKnownDigests(
  collection: Collection,
  ownerId: string,
  digests: readonly Digest[],
): Promise<Digest[]> {
  const known = new Set<string>();
  for (let start = 0; start < digests.length; start += digestsPerStatement) {
    for (const digest of knownDigests(collection.db, ownerId, digests.slice(start, start + digestsPerStatement)))
      known.add(digest);
    await nextTurn();
  }
  return digests.filter((digest) => known.has(digest));
}

export interface Attachment {
  path: string;
  digest: Digest;
  declaredType: string;
  status: ResultStatus;
}

/**
 * Gives a result a file whose bytes are here already. The row is committed first, because a row is what protects a
 * blob from pruning; then the file is looked for, and if it is gone the row is taken back. Throws `send_bytes` when
 * the bytes are not here.
 */
export async function attachFile(
  collection: Collection,
  ownerId: string,
  target: UploadTarget,
  attachment: Attachment,
  allowed: UploadLimits,
): Promise<ArchiveResultRow> {
  const { db } = collection;
  const size = await collection.blobs.size(attachment.digest);
  if (size === undefined || knownDigests(db, ownerId, [attachment.digest]).length === 0) throw sendBytes();
  const head = await readBeginning(collection, attachment.digest).catch(() => undefined);
  if (head === undefined) throw sendBytes();
  const mimetype = await sniffMimetype(head, attachment.path);
  const key: ResultKey = {
    snapshotId: target.snapshot.id,
    plugin: target.result.plugin,
    hookName: target.result.hook_name,
  };
  const file = {
    path: attachment.path,
    size,
    mimetype,
    declaredType: attachment.declaredType,
    digest: attachment.digest,
    recipe: await collection.blobs.recipe(attachment.digest),
  };
  const { before, row } = await db.write(() => {
    // Read anew: the page may have been deleted, or filled by others, while the file was looked at.
    const { result, snapshot } = requireTarget(db, target.result.id, target.snapshot.id);
    checkPath(db, result.id, attachment.path, allowed);
    checkSnapshotSize(snapshot, 0, size, allowed);
    const earlier = findOutput(db, result.id, attachment.path);
    recordOutputsOf(db, result, [file], {}, Date.now());
    return { before: earlier, row: findOutput(db, target.result.id, attachment.path)! };
  });
  if ((await collection.blobs.size(attachment.digest)) === undefined) {
    await takeBack(collection, row, before);
    throw sendBytes();
  }
  await linkFiles(collection, target.result, target.snapshot, [attachment]);
  const result = await db.write(() => mergeResult(db, key, { status: attachment.status }, Date.now()));
  collection.bell.ring();
  return result;
}

/** Enough of a stored file to tell its type. */
function readBeginning(collection: Collection, digest: Digest): Promise<Buffer> {
  return buffer(collection.blobs.read(digest, { start: 0, end: sniffBytes - 1 }));
}

async function takeBack(collection: Collection, row: OutputRow, before: OutputRow | undefined): Promise<void> {
  await collection.db.write(() => takeBackOutput(collection.db, row, before));
}

function sendBytes(): HoldfastError {
  return new HoldfastError('send_bytes', 'The companion does not have these bytes; send the file.');
}
