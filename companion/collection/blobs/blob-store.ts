import { createReadStream, existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { errnoOf } from '../durable-files.ts';
import type { Layout } from '../layout.ts';
import type { ByteRange } from './byte-range.ts';
import { readJoined } from '../split/joined.ts';
import { parseRecipe, type Recipe } from '../split/recipe.ts';

/**
 * Immutable bytes by digest. A store answers only for blobs the gate has made visible; it never changes one. Whether
 * the bytes are stored whole or split is its own affair: what is read is always the original. Removing what is absent
 * is no error.
 */
export interface BlobStore {
  /** Size in bytes, or undefined when the blob is absent. */
  size(digest: Digest): Promise<number | undefined>;
  read(digest: Digest, range?: ByteRange): Readable;
  /** How to join a page that is stored split; undefined for bytes stored whole. */
  recipe(digest: Digest): Promise<Recipe | undefined>;
  remove(digest: Digest): Promise<void>;
}

export class DiskBlobStore implements BlobStore {
  private readonly layout: Layout;

  constructor(layout: Layout) {
    this.layout = layout;
  }

  async size(digest: Digest): Promise<number | undefined> {
    try {
      return (await fs.stat(this.layout.blob(digest))).size;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    return (await this.recipe(digest))?.size;
  }

  read(digest: Digest, range?: ByteRange): Readable {
    const isSplit = !existsSync(this.layout.blob(digest)) && existsSync(this.layout.blobRecipe(digest));
    if (!isSplit) return createReadStream(this.layout.blob(digest), range ?? {});
    return Readable.from(this.readSplit(digest, range), { objectMode: false });
  }

  private async *readSplit(digest: Digest, range: ByteRange | undefined): AsyncGenerator<Buffer> {
    const recipe = await parseRecipeFile(this.layout.blobRecipe(digest));
    if (!recipe) throw new HoldfastError('internal', `The side record of the page ${digest} is damaged.`);
    yield* readJoined(recipe, (part) => this.layout.blob(part), range);
  }

  async recipe(digest: Digest): Promise<Recipe | undefined> {
    if (existsSync(this.layout.blob(digest))) return undefined;
    return parseRecipeFile(this.layout.blobRecipe(digest));
  }

  async remove(digest: Digest): Promise<void> {
    await fs.rm(this.layout.blob(digest), { force: true });
    await fs.rm(this.layout.blobRecipe(digest), { force: true });
  }
}

/** Undefined when there is none or it is damaged. */
async function parseRecipeFile(file: string): Promise<Recipe | undefined> {
  try {
    return parseRecipe(await fs.readFile(file, 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
