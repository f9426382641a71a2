import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

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

export function errnoOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
