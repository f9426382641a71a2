import { randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Digest } from '../../../shared/digest/digest.ts';
import type { BlobFolder } from '../blobs/blob-folder.ts';
import { copyHashed, ensureFolder, errnoOf, replaceFile, syncFolder } from '../durable-files.ts';
import { parseRecipe } from '../split/recipe.ts';

export type CopyOutcome = 'copied' | 'present' | 'missing' | 'damaged';

/**
 * Brings one blob from one store to another: read once, hashed while it is copied, synced, then renamed into place, so
 * that a name in the target always holds the right bytes. What lies there already is left. Answers the bytes copied.
 */
export async function copyBlob(
  from: BlobFolder,
  to: BlobFolder,
  digest: Digest,
): Promise<{ outcome: CopyOutcome; bytes: number }> {
  const plain = { outcome: 'present' as const, bytes: 0 };
  if ((await exists(to.file(digest))) || (await exists(to.sideRecord(digest)))) return plain;
  try {
    return await copyFileVerified(from.file(digest), to.file(digest), digest);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
  return copySideRecord(from.sideRecord(digest), to.sideRecord(digest), digest);
}

async function copyFileVerified(
  source: string,
  target: string,
  digest: Digest,
): Promise<{ outcome: CopyOutcome; bytes: number }> {
  const input = await fs.open(source, 'r');
  try {
    await ensureFolder(path.dirname(target));
    const temporary = `${target}.${randomUUID()}.tmp`;
    const output = await fs.open(temporary, 'wx', 0o444);
    let copied: { digest: Digest; size: number };
    try {
      copied = await copyHashed(input, output);
      await output.datasync();
    } catch (error) {
      await fs.rm(temporary, { force: true });
      throw error;
    } finally {
      await output.close();
    }
    if (copied.digest !== digest) {
      await fs.rm(temporary, { force: true });
      return { outcome: 'damaged', bytes: 0 };
    }
    await fs.rename(temporary, target);
    await syncFolder(path.dirname(target));
    return { outcome: 'copied', bytes: copied.size };
  } finally {
    await input.close();
  }
}

/** Small; it says itself what page it joins. Its parts are blobs of their own. */
async function copySideRecord(
  source: string,
  target: string,
  digest: Digest,
): Promise<{ outcome: CopyOutcome; bytes: number }> {
  let text: string;
  try {
    text = await fs.readFile(source, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { outcome: 'missing', bytes: 0 };
    throw error;
  }
  if (parseRecipe(text)?.digest !== digest) return { outcome: 'damaged', bytes: 0 };
  await ensureFolder(path.dirname(target));
  await replaceFile(target, text);
  return { outcome: 'copied', bytes: Buffer.byteLength(text) };
}

async function exists(file: string): Promise<boolean> {
  try {
    await fs.access(file);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}
