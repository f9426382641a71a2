import fs from 'node:fs/promises';
import path from 'node:path';
import { isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { errnoOf } from '../collection/durable-files.ts';
import type { Collection } from '../collection/open-collection.ts';
import { findOutput, findResult } from '../collection/records/results.ts';
import { findSnapshot } from '../collection/records/snapshots.ts';
import type { Logger } from '../log/logger.ts';
import { finishUpload, linkFiles } from './finish.ts';
import { UploadEntry } from './upload-entry.ts';
import { UploadIndex } from './upload-index.ts';
import { loadRecord, partName, saveRecord, type Completion, type UploadRecord } from './upload-record.ts';

interface Recovery {
  collection: Collection;
  log: Logger;
  now: number;
}

/**
 * Brings the upload folders in order at start (DESIGN section 5): finishes what has its digest, cuts what was never
 * synced, removes what nobody sends any more, and returns the uploads that go on.
 */
export async function recoverUploads(collection: Collection, log: Logger, now: number): Promise<UploadIndex> {
  const index = new UploadIndex();
  for (const id of await fs.readdir(collection.layout.uploads())) {
    const entry = await recoverFolder({ collection, log, now }, id);
    if (entry) index.add(entry);
  }
  return index;
}

async function recoverFolder(recovery: Recovery, id: string): Promise<UploadEntry | undefined> {
  const { collection, log } = recovery;
  const folder = collection.layout.upload(id);
  const record = await loadRecord(folder);
  const remove = async (): Promise<undefined> => {
    await fs.rm(folder, { recursive: true, force: true });
  };
  // Without a record nothing of it was ever acknowledged; without its result nobody can finish it.
  if (!record || !findResult(collection.db, record.result)) return remove();
  if (record.completion) {
    const done = await finishCompleted(recovery, folder, record, record.completion);
    if (done || !record.chunked) return undefined;
  }
  if (!record.chunked || recovery.now - record.updated_at > limits.uploadSilentMs) {
    log.info({ upload: id, result: record.result }, 'removed the rest of an upload that nobody sends any more');
    return remove();
  }
  const entry = UploadEntry.fromRecord(id, record, record.chunked);
  await cutTail(folder, entry);
  return entry;
}

/** True when the folder is done with; false when finishing must wait, for example on a full disk. */
async function finishCompleted(
  recovery: Recovery,
  folder: string,
  record: UploadRecord,
  completion: Completion,
): Promise<boolean> {
  const { collection, log } = recovery;
  try {
    const rows = completion.files.map((file) => findOutput(collection.db, record.result, file.path));
    if (completion.files.every((file, index) => rows[index]?.digest === file.digest)) {
      const result = findResult(collection.db, record.result);
      const snapshot = result && findSnapshot(collection.db, result.snapshot_id);
      if (result && snapshot) await linkFiles(collection, result, snapshot, completion.files);
      await fs.rm(folder, { recursive: true, force: true });
    } else {
      await finishUpload(collection, folder, record.result, completion);
    }
    return true;
  } catch (error) {
    log.warn({ err: error, result: record.result }, 'an upload that is complete could not be recorded yet');
    if (!isHoldfastError(error) || error.code === 'disk_full' || error.code === 'busy') return false;
    await fs.rm(folder, { recursive: true, force: true });
    return true;
  }
}

/** Bytes behind the synced length were never acknowledged. A client without digests begins again (DESIGN section 5). */
async function cutTail(folder: string, entry: UploadEntry): Promise<void> {
  if (entry.completion) return;
  const part = path.join(folder, partName);
  const size = await sizeOf(part);
  if (!entry.withDigests || size < entry.received) {
    entry.empty();
    await saveRecord(folder, entry.toRecord());
  }
  if (size > entry.received) await fs.truncate(part, entry.received);
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await fs.stat(file)).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 0;
    throw error;
  }
}
