import fs from 'node:fs/promises';
import path from 'node:path';
import { errnoOf } from './durable-files.ts';

/** Names in a folder; none where there is no folder. */
export function namesIn(folder: string): Promise<string[]> {
  return orNone(fs.readdir(folder));
}

/** Everything in and below a folder that is no folder itself, as absolute paths; none where there is no folder. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await orNone(fs.readdir(folder, { recursive: true, withFileTypes: true }));
  return entries.filter((entry) => !entry.isDirectory()).map((entry) => path.join(entry.parentPath, entry.name));
}

async function orNone<Entry>(reading: Promise<Entry[]>): Promise<Entry[]> {
  try {
    return await reading;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
