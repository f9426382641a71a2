import { rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Whole or not at all: readers and the output scan never see half a file. Durability is the collection's affair. */
export async function writeAtomically(path: string, data: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  await writeFile(temporary, data);
  await rename(temporary, path);
}
