import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { digestFromHex, type Digest } from '../../../shared/digest/digest.ts';
import { BlobFolder } from '../blobs/blob-folder.ts';
import { errnoOf } from '../durable-files.ts';
import { readJoined } from '../split/joined.ts';
import { parseRecipe } from '../split/recipe.ts';
import type { Damage, Look, LookAnswer } from './look.ts';

const READ_BYTES = 1024 * 1024;

/** Reads the bytes of every look and compares. Blocks: only for worker threads. Memory does not grow with the files. */
export async function readLooks(looks: readonly Look[]): Promise<LookAnswer> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  const answer: LookAnswer = { damages: [], bytes: 0 };
  for (const look of looks) {
    const { damage, bytes } = await readLook(look, chunk);
    answer.damages.push(damage);
    answer.bytes += bytes;
  }
  return answer;
}

async function readLook(look: Look, chunk: Buffer): Promise<{ damage: Damage; bytes: number }> {
  try {
    const found =
      look.joinedIn === undefined
        ? hashFile(look.file, chunk)
        : await hashJoined(look.file, new BlobFolder(look.joinedIn), look.digest);
    return { damage: found.digest === look.digest ? undefined : 'changed', bytes: found.bytes };
  } catch (error) {
    return { damage: errnoOf(error) === 'ENOENT' ? 'missing' : 'unreadable', bytes: 0 };
  }
}

interface Hashed {
  digest: Digest | undefined;
  bytes: number;
}

function hashFile(file: string, chunk: Buffer): Hashed {
  const handle = fs.openSync(file, 'r');
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for (;;) {
      const read = fs.readSync(handle, chunk, 0, chunk.length, null);
      if (read === 0) break;
      hash.update(chunk.subarray(0, read));
      bytes += read;
    }
    return { digest: digestFromHex(hash.digest('hex')), bytes };
  } finally {
    fs.closeSync(handle);
  }
}

/** A side record that cannot be read or belongs to another page is damage like any other. */
async function hashJoined(file: string, blobs: BlobFolder, wanted: Digest): Promise<Hashed> {
  const recipe = parseRecipe(fs.readFileSync(file, 'utf8'));
  if (recipe?.digest !== wanted) return { digest: undefined, bytes: 0 };
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of readJoined(recipe, (part) => blobs.file(part))) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { digest: digestFromHex(hash.digest('hex')), bytes };
}
