import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Digest } from '../../../shared/digest/digest.ts';
import { errnoOf } from '../durable-files.ts';
import type { Layout } from '../layout.ts';

export interface ByteRange {
  /** First byte, counted from 0. */
  start: number;
  /** Last byte, inclusive. */
  end: number;
}

/**
 * Immutable bytes by digest. A store answers only for blobs the gate has made visible; it never changes one.
 * Removing what is absent is no error.
 */
export interface BlobStore {
  /** Size in bytes, or undefined when the blob is absent. */
  size(digest: Digest): Promise<number | undefined>;
  read(digest: Digest, range?: ByteRange): Readable;
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
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  read(digest: Digest, range?: ByteRange): Readable {
    return createReadStream(this.layout.blob(digest), range ?? {});
  }

  async remove(digest: Digest): Promise<void> {
    await fs.rm(this.layout.blob(digest), { force: true });
  }
}
