import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { digestFromHex, type Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { ensureFolder, errnoOf, syncFolder } from '../durable-files.ts';
import type { Layout } from '../layout.ts';

export interface Promoted {
  digest: Digest;
  /** Bytes. */
  size: number;
}

const COPY_CHUNK_BYTES = 1024 * 1024;

/**
 * The one way bytes enter the collection. After each method the blob lies at its name, read-only, and file and folder
 * are synced. Repetition is harmless: the gate always renames its own copy into place and never trusts one that lies
 * there. Rows are the caller's business and come after.
 */
export class Gate {
  private readonly layout: Layout;
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(layout: Layout) {
    this.layout = layout;
  }

  /** Moves a staged file whose bytes are already synced and were hashed to `digest` on the way in. */
  async promoteStaged(file: string, digest: Digest): Promise<void> {
    await this.inSlot(() => this.place(file, digest));
  }

  /** Copies a file in, hashing on the way. The original stays. `sizeMax` in bytes. */
  async promoteCopy(source: string, sizeMax = limits.uploadFileBytesMax): Promise<Promoted> {
    return this.inSlot(async () => {
      const input = await fs.open(source, 'r');
      try {
        return await this.stage(async (output) => {
          const hash = createHash('sha256');
          const chunk = Buffer.allocUnsafe(COPY_CHUNK_BYTES);
          let size = 0;
          for (;;) {
            const { bytesRead } = await input.read(chunk, 0, chunk.length);
            if (bytesRead === 0) break;
            size += bytesRead;
            if (size > sizeMax) throw new HoldfastError('too_large', `The file is larger than ${sizeMax} bytes.`);
            const bytes = chunk.subarray(0, bytesRead);
            hash.update(bytes);
            await output.writeFile(bytes);
          }
          return { digest: digestFromHex(hash.digest('hex')), size };
        });
      } finally {
        await input.close();
      }
    });
  }

  async promoteBytes(bytes: Uint8Array): Promise<Promoted> {
    return this.inSlot(() =>
      this.stage(async (output) => {
        await output.writeFile(bytes);
        return { digest: digestFromHex(createHash('sha256').update(bytes).digest('hex')), size: bytes.byteLength };
      }),
    );
  }

  private async stage(fill: (output: fs.FileHandle) => Promise<Promoted>): Promise<Promoted> {
    await ensureFolder(this.layout.blobStaging());
    const temporary = path.join(this.layout.blobStaging(), randomUUID());
    const output = await fs.open(temporary, 'wx');
    let promoted: Promoted;
    try {
      promoted = await fill(output);
      await output.datasync();
    } catch (error) {
      await output.close();
      await fs.rm(temporary, { force: true });
      throw diskFull(error);
    }
    await output.close();
    await this.place(temporary, promoted.digest);
    return promoted;
  }

  private async place(file: string, digest: Digest): Promise<void> {
    const target = this.layout.blob(digest);
    try {
      await ensureFolder(path.dirname(target));
      await fs.chmod(file, 0o444);
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

/** Turns a full disk into the one error that says so; others pass. */
export function diskFull(error: unknown): unknown {
  if (errnoOf(error) !== 'ENOSPC' && errnoOf(error) !== 'EDQUOT') return error;
  return new HoldfastError('disk_full', 'The disk that holds your collection is full; free some space and try again.', {
    cause: error,
  });
}
