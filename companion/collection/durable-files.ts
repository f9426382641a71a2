import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';

const COPY_CHUNK_BYTES = 1024 * 1024;

/** Syncs a folder, so that names made or renamed in it survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and its parents; each new name is synced in its parent. */
export async function ensureFolder(folder: string): Promise<void> {
  const made = await fs.mkdir(folder, { recursive: true });
  if (made === undefined) return;
  let current = folder;
  const stop = path.dirname(made);
  while (current !== stop) {
    current = path.dirname(current);
    await syncFolder(current);
  }
}

/** Replaces a small file as a whole: temporary name, sync, rename, sync of the folder. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  const handle = await fs.open(temporary, 'wx');
  try {
    try {
      await handle.writeFile(content);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await fs.rename(temporary, file);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(path.dirname(file));
}

/**
 * Copies a file into another that is open, hashing on the way. Throws `too_large` beyond `sizeMax` bytes.
 */
export async function copyHashed(
  input: fs.FileHandle,
  output: fs.FileHandle,
  sizeMax = Number.POSITIVE_INFINITY,
): Promise<{ digest: Digest; size: number }> {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(COPY_CHUNK_BYTES);
  let size = 0;
  for (;;) {
    const { bytesRead } = await input.read(chunk, 0, chunk.length);
    if (bytesRead === 0) return { digest: digestFromHex(hash.digest('hex')), size };
    size += bytesRead;
    if (size > sizeMax) throw new HoldfastError('too_large', `The file is larger than ${sizeMax} bytes.`);
    const bytes = chunk.subarray(0, bytesRead);
    hash.update(bytes);
    await output.writeFile(bytes);
  }
}

export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
