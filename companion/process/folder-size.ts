import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Bytes of all regular files below a folder, links not followed. The owner may be writing and deleting meanwhile:
 * what vanishes between listing and looking counts nothing.
 */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await ignoreMissing(readdir(folder, { recursive: true, withFileTypes: true }), []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => ignoreMissing(fileBytes(join(entry.parentPath, entry.name)), 0)),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function fileBytes(path: string): Promise<number> {
  return (await lstat(path)).size;
}

async function ignoreMissing<T>(work: Promise<T>, fallback: T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return fallback;
    throw error;
  }
}
