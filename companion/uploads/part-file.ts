import type { Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../collection/durable-files.ts';
import { writeFully } from './byte-files.ts';
import { hashRange, piecesOf, sourceOfFile, type ByteSource } from './byte-source.ts';

/** So many bytes are worth a sync of their own. */
const syncAheadBytes = 2 * 1024 * 1024;

/** The part of an upload, open for one turn: its bytes and the digest over all of them. */
export class PartFile {
  /** Digest state over the received bytes and what was appended. */
  readonly hash: Hash;
  private readonly handle: FileHandle;
  private bytesBehindSync = 0;
  private syncing: Promise<void> | undefined;
  private syncFailure: unknown;

  private constructor(handle: FileHandle, hash: Hash) {
    this.handle = handle;
    this.hash = hash;
  }

  /** Opens or makes the file. Without a digest state of its `received` bytes these are read once. */
  static async open(file: string, received: number, hash: Hash | undefined): Promise<PartFile> {
    const handle = await fs.open(file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    try {
      return new PartFile(handle, hash?.copy() ?? (await hashRange(sourceOfFile(file), 0, received)));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  async append(batch: readonly Buffer[], position: number): Promise<void> {
    const writing = writeFully(this.handle, batch, position);
    // The digest is computed while the system writes.
    for (const buffer of batch) {
      this.hash.update(buffer);
      this.bytesBehindSync += buffer.length;
    }
    await writing;
    if (this.bytesBehindSync >= syncAheadBytes && !this.syncing) this.syncAhead();
  }

  /** After this what was appended survives a power cut. */
  async sync(): Promise<void> {
    await this.syncing;
    if (this.syncFailure !== undefined) throw this.syncFailure;
    await this.handle.datasync();
  }

  async truncate(bytes: number): Promise<void> {
    await this.handle.truncate(bytes);
  }

  async close(): Promise<void> {
    await this.syncing;
    await this.handle.close();
  }

  /** Lets the disk begin while more bytes come in, so that the sync at the end of the chunk has little left to do. */
  private syncAhead(): void {
    this.bytesBehindSync = 0;
    this.syncing = this.handle.datasync().then(
      () => void (this.syncing = undefined),
      // The system tells of a failed write once; the sync at the end must not look as if nothing had been.
      (error: unknown) => void (this.syncFailure = error),
    );
  }
}

/** Makes the first bytes of a stored file the beginning of a part. */
export async function copyHead(source: ByteSource, target: string, bytes: number): Promise<void> {
  await fs.rm(target, { force: true });
  await pipeline(piecesOf(source, 0, bytes), createWriteStream(target, { mode: 0o600 }));
}

/** Cuts a part, or makes an empty one. */
export async function truncatePart(file: string, bytes: number): Promise<void> {
  try {
    await fs.truncate(file, bytes);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    await fs.writeFile(file, '', { mode: 0o600 });
  }
}
