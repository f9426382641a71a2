import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import type { Digest } from '../../../shared/digest/digest.ts';
import type { Recipe } from './recipe.ts';
import { splitPage } from './split-page.ts';

export interface StagedBlob {
  file: string;
  digest: Digest;
  size: number;
}

/** A page taken apart: skeleton and parts lie synced in the staging folder, nothing is in its place yet. */
export interface StagedSplit {
  recipe: Recipe;
  blobs: StagedBlob[];
}

/**
 * Splits a page file into staged blobs. Undefined when it is to be stored whole; nothing is left behind then. Blocks:
 * only for worker threads.
 */
export function splitFile(file: string, digest: Digest, staging: string): StagedSplit | undefined {
  const split = splitPage(fs.readFileSync(file), digest);
  if (!split) return undefined;
  const blobs: StagedBlob[] = [];
  try {
    for (const [part, bytes] of split.blobs) {
      const staged = path.join(staging, randomUUID());
      blobs.push({ file: staged, digest: part, size: bytes.length });
      writeSynced(staged, bytes);
    }
  } catch (error) {
    for (const blob of blobs) fs.rmSync(blob.file, { force: true });
    throw error;
  }
  return { recipe: split.recipe, blobs };
}

function writeSynced(file: string, bytes: Buffer): void {
  const handle = fs.openSync(file, 'wx');
  try {
    fs.writeFileSync(handle, bytes);
    fs.fdatasyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}
