import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { digestFromHex, type Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { copyHashed, ensureFolder, errnoOf, replaceFile, syncFolder } from '../durable-files.ts';
import type { Layout } from '../layout.ts';
import { formatRecipe, type Recipe } from '../split/recipe.ts';
import type { StagedBlob } from '../split/split-file.ts';
import { SplitThread } from '../split/split-thread.ts';

export interface Promoted {
  digest: Digest;
  /** Bytes. */
  size: number;
  /** Set when the bytes are stored split; its blobs need rows that protect them. */
  recipe?: Recipe | undefined;
}

/** What the gate is told about a file to decide how it is stored. */
export interface StorageHint {
  /** Sniffed. */
  mimetype: string;
  /** Inside the plugin's folder. */
  path: string;
}

/**
 * The one way bytes enter the collection. After each method the blob lies at its name, read-only, and file and folder
 * are synced. Repetition is harmless: the gate always renames its own copy into place and never trusts one that lies
 * there. Rows are the caller's business and come after.
 */
export class Gate {
  private readonly layout: Layout;
  private readonly splitter = new SplitThread();
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(layout: Layout) {
    this.layout = layout;
  }

  /**
   * Takes a staged file whose bytes are already synced and were hashed to `digest` on the way in. A self-contained
   * page is stored split and the staged file stays for its owner to remove; any other file is moved. Returns how the
   * page is to be joined.
   */
  async promoteStaged(file: string, digest: Digest, hint: StorageHint): Promise<Recipe | undefined> {
    return this.inSlot(async () => {
      const recipe = isPage(hint) ? await this.placeSplit(file, digest) : undefined;
      if (!recipe) await this.place(file, digest);
      return recipe;
    });
  }

  /** Copies a file in, hashing on the way. The original stays. `sizeMax` in bytes. */
  async promoteCopy(source: string, hint: StorageHint, sizeMax = limits.uploadFileBytesMax): Promise<Promoted> {
    return this.inSlot(async () => {
      const input = await fs.open(source, 'r');
      try {
        return await this.stage(hint, (output) => copyHashed(input, output, sizeMax));
      } finally {
        await input.close();
      }
    });
  }

  async promoteBytes(bytes: Uint8Array): Promise<Promoted> {
    return this.inSlot(() =>
      this.stage(undefined, async (output) => {
        await output.writeFile(bytes);
        return { digest: digestFromHex(createHash('sha256').update(bytes).digest('hex')), size: bytes.byteLength };
      }),
    );
  }

  private async stage(
    hint: StorageHint | undefined,
    fill: (output: fs.FileHandle) => Promise<Promoted>,
  ): Promise<Promoted> {
    await ensureFolder(this.layout.blobStaging());
    const temporary = path.join(this.layout.blobStaging(), randomUUID());
    try {
      const promoted = await fillSynced(temporary, fill);
      const recipe = hint && isPage(hint) ? await this.placeSplit(temporary, promoted.digest) : undefined;
      if (!recipe) await this.place(temporary, promoted.digest);
      return { ...promoted, recipe };
    } catch (error) {
      throw diskFull(error);
    } finally {
      // Moved away when it is stored whole.
      await fs.rm(temporary, { force: true });
    }
  }

  /**
   * Skeleton and parts first, each synced, then the side record: whoever finds a side record finds all it names.
   * Undefined when the page is to be stored whole.
   */
  private async placeSplit(file: string, digest: Digest): Promise<Recipe | undefined> {
    const { size } = await fs.stat(file);
    if (size > limits.splitBytesMax) return undefined;
    await ensureFolder(this.layout.blobStaging());
    const split = await this.splitter.ask({ file, digest, staging: this.layout.blobStaging() });
    if (!split) return undefined;
    try {
      await this.placeAll(split.blobs);
      await replaceFile(await this.recipeFile(digest), formatRecipe(split.recipe));
    } catch (error) {
      await Promise.all(split.blobs.map((blob) => fs.rm(blob.file, { force: true })));
      throw diskFull(error);
    }
    return split.recipe;
  }

  private async recipeFile(digest: Digest): Promise<string> {
    const file = this.layout.blobRecipe(digest);
    await ensureFolder(path.dirname(file));
    return file;
  }

  /** Many blobs share few folders: each folder is synced once, after all names in it. */
  private async placeAll(blobs: readonly StagedBlob[]): Promise<void> {
    const folders = new Set<string>();
    for (const blob of blobs) {
      const target = this.layout.blob(blob.digest);
      folders.add(path.dirname(target));
      await ensureFolder(path.dirname(target));
      await makeFresh(blob.file);
      await fs.rename(blob.file, target);
    }
    for (const folder of folders) await syncFolder(folder);
  }

  private async place(file: string, digest: Digest): Promise<void> {
    const target = this.layout.blob(digest);
    try {
      await ensureFolder(path.dirname(target));
      await makeFresh(file);
      await fs.rename(file, target);
      await syncFolder(path.dirname(target));
    } catch (error) {
      throw diskFull(error);
    }
  }

  private async inSlot<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= limits.gateConcurrency) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The slot passes to the next one waiting without being freed in between.
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

async function fillSynced(file: string, fill: (output: fs.FileHandle) => Promise<Promoted>): Promise<Promoted> {
  const output = await fs.open(file, 'wx');
  try {
    const promoted = await fill(output);
    await output.datasync();
    return promoted;
  } finally {
    await output.close();
  }
}

/**
 * Read-only from here on, and new: the age of a blob counts from when it was placed, so that pruning leaves it alone
 * until its rows are there, however long the upload took.
 */
async function makeFresh(file: string): Promise<void> {
  const now = new Date();
  await fs.utimes(file, now, now);
  await fs.chmod(file, 0o444);
}

/** Pages by content and by name: text that merely begins like HTML is read by the search and stored whole. */
function isPage(hint: StorageHint): boolean {
  return hint.mimetype === 'text/html' && /\.html?$/i.test(hint.path);
}

/** Turns a full disk into the one error that says so; others pass. */
export function diskFull(error: unknown): unknown {
  if (errnoOf(error) !== 'ENOSPC' && errnoOf(error) !== 'EDQUOT') return error;
  return new HoldfastError('disk_full', 'The disk that holds your collection is full; free some space and try again.', {
    cause: error,
  });
}
