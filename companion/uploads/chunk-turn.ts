import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { dropBytes } from './byte-files.ts';
import { equalBytes, hashRange, sourceOfFile, type ByteReader, type ByteSource } from './byte-source.ts';
import { copyHead, PartFile, truncatePart } from './part-file.ts';
import { pump } from './pump.ts';
import type { UploadEntry } from './upload-entry.ts';
import { noteProgress, partName, saveRecord } from './upload-record.ts';

export interface Chunk {
  /** First byte, counted from the beginning of the file. */
  offset: number;
  /** Digest of this chunk's bytes, as the client says. */
  chunkDigest?: Digest | undefined;
  /** Digest of the whole file, as the client says. */
  clientDigest?: Digest | undefined;
  declaredType: string;
}

/** The bytes that a chunk can be compared with besides the part. */
export interface StoredBytes extends ByteSource {
  digest: Digest;
}

export interface TurnPlace {
  folder: string;
  /** The recorded file at this path, when its size is the announced one and no upload is under way. */
  recorded: StoredBytes | undefined;
  /** The promoted bytes of a completed upload whose rows are still missing. */
  promoted: StoredBytes | undefined;
  /** Checks the limits; called once, before the first byte of a new upload is written. */
  admit: () => Promise<void>;
}

/**
 * One request's turn at one upload: compares what overlaps, appends what is new, and settles it (DESIGN section 5).
 * Bytes of two captures never mix: what differs empties the upload, at offset 0 it starts over at once.
 */
export class ChunkTurn {
  private readonly entry: UploadEntry;
  private readonly place: TurnPlace;
  private readonly signal: AbortSignal;
  private chunk: Chunk = { offset: 0, declaredType: '' };
  /** Where the next byte of the chunk belongs. */
  private position = 0;
  /** Bytes before this position are there already and are compared. */
  private known = 0;
  private source: StoredBytes | undefined;
  private compared: ByteReader | undefined;
  private part: PartFile | undefined;
  private chunkHash: Hash | undefined;

  constructor(entry: UploadEntry, place: TurnPlace, signal: AbortSignal) {
    this.entry = entry;
    this.place = place;
    this.signal = signal;
    this.source = place.recorded ?? place.promoted;
  }

  private get partFile(): string {
    return path.join(this.place.folder, partName);
  }

  /** What the chunk's overlap is compared with. */
  private get stored(): ByteSource {
    return this.source ?? sourceOfFile(this.partFile);
  }

  /** True when all that came equals a file that is recorded already: there is nothing to settle. */
  get matchesRecorded(): boolean {
    return this.place.recorded !== undefined && this.source === this.place.recorded;
  }

  /** The chunk reached the end of the file. */
  get reachedEnd(): boolean {
    return this.position === this.entry.key.total;
  }

  /** Takes in the bytes of a chunk. Throws `gap`, `content_differs`, `bad_request` or the signal's reason. */
  async receive(bytes: Readable, chunk: Chunk): Promise<void> {
    this.chunk = chunk;
    this.position = chunk.offset;
    this.known = this.place.recorded ? this.entry.key.total : this.entry.received;
    if (chunk.offset > this.known) {
      const sentence = `The bytes from ${this.known} on are missing; send them first.`;
      throw new HoldfastError('gap', sentence, { details: { received: this.known } });
    }
    if (chunk.chunkDigest !== undefined) this.chunkHash = createHash('sha256');
    const knownDigest = this.source?.digest ?? this.entry.clientDigest;
    if (knownDigest !== undefined && chunk.clientDigest !== undefined && knownDigest !== chunk.clientDigest)
      await this.differs();
    await pump(bytes, (batch) => this.consume(batch), this.signal);
  }

  /**
   * Makes the chunk's bytes count: checks its digest, syncs them and notes how far the upload is. Returns the digest
   * of the whole file when all of it is there. `late` holds what a multipart body said after the bytes. Throws
   * `digest_mismatch`, with nothing of the chunk left.
   */
  async settle(late: Partial<Omit<Chunk, 'offset'>> = {}): Promise<Digest | undefined> {
    this.chunk = { ...this.chunk, ...late };
    const { entry, chunk } = this;
    await this.checkChunkDigest();
    if (this.matchesRecorded) return undefined;
    await this.countBytes();
    if (entry.received < entry.key.total) return undefined;
    if (entry.completion) return entry.completion.files[0]?.digest;
    entry.hash ??= await hashRange(sourceOfFile(this.partFile), 0, entry.received);
    const digest = digestFromHex(entry.hash.copy().digest('hex'));
    const wanted = chunk.clientDigest ?? entry.clientDigest;
    if (wanted === undefined || wanted === digest) return digest;
    await this.discard();
    throw mismatch('the whole file', wanted, digest);
  }

  /** After a broken connection: keeps what arrived, so that the client goes on from there. */
  async keepWhatArrived(): Promise<void> {
    // A chunk with a digest counts as a whole or not at all.
    if (this.chunk.chunkDigest !== undefined) return this.rollBack();
    if (!this.matchesRecorded && this.position > this.entry.received) await this.countBytes();
  }

  /** Leaves nothing of the chunk. */
  async rollBack(): Promise<void> {
    if (!this.part) return;
    if (this.entry.received === 0 && this.entry.chunks === 0) return this.discard();
    await this.part.truncate(this.entry.received);
  }

  /** Removes the whole upload. */
  async discard(): Promise<void> {
    await this.close();
    await fs.rm(this.place.folder, { recursive: true, force: true });
    this.entry.empty();
    this.entry.onDisk = false;
  }

  async close(): Promise<void> {
    await this.part?.close();
    this.part = undefined;
    await this.compared?.close();
    this.compared = undefined;
  }

  private async consume(batch: Buffer[]): Promise<void> {
    const bytes = batch.reduce((sum, buffer) => sum + buffer.length, 0);
    if (this.position + bytes > this.entry.key.total) {
      throw new HoldfastError('bad_request', `The chunk goes beyond the announced ${this.entry.key.total} bytes.`);
    }
    for (const buffer of this.chunkHash ? batch : []) this.chunkHash?.update(buffer);
    const rest = this.position < this.known ? await this.compare(batch) : batch;
    if (rest.length > 0) await this.append(rest);
  }

  /** Compares what overlaps and returns what is to be appended. */
  private async compare(batch: Buffer[]): Promise<Buffer[]> {
    let done = 0;
    for (const buffer of batch) {
      const overlap = Math.min(buffer.length, this.known - this.position);
      if (overlap === 0) break;
      this.compared ??= await this.stored.open();
      const equal = await equalBytes(this.compared, buffer.subarray(0, overlap), this.position);
      this.position += equal;
      done += equal;
      if (equal === overlap) continue;
      await this.differs();
      break;
    }
    return dropBytes(batch, done);
  }

  private async append(batch: Buffer[]): Promise<void> {
    const part = await this.openPart();
    const writing = part.append(batch, this.position);
    this.position += batch.reduce((sum, buffer) => sum + buffer.length, 0);
    await writing;
  }

  private async openPart(): Promise<PartFile> {
    if (!this.entry.onDisk) await this.makeFolder();
    this.part ??= await PartFile.open(
      this.partFile,
      this.known,
      this.known === this.entry.received ? this.entry.hash : undefined,
    );
    return this.part;
  }

  private async makeFolder(): Promise<void> {
    await this.place.admit();
    await fs.mkdir(this.place.folder, { recursive: true, mode: 0o700 });
    this.entry.onDisk = true;
  }

  /** The content is another one: starts over when the chunk is the beginning, else empties the upload and refuses. */
  private async differs(): Promise<void> {
    const equal = this.chunk.offset === 0 ? this.position : 0;
    const source = this.source;
    this.source = undefined;
    await this.compared?.close();
    this.compared = undefined;
    this.entry.empty();
    if (!this.entry.onDisk) await this.makeFolder();
    // Noted before a byte below the old length changes: a crash must not leave a length that lies.
    await saveRecord(this.place.folder, this.entry.toRecord());
    if (source && equal > 0) await copyHead(source, this.partFile, equal);
    else await truncatePart(this.partFile, equal);
    if (this.chunk.offset > 0) {
      const sentence = 'These bytes differ from those that came before; send the file again from its beginning.';
      throw new HoldfastError('content_differs', sentence, { details: { received: 0 } });
    }
    this.known = equal;
    this.entry.clientDigest = this.chunk.clientDigest;
  }

  private async checkChunkDigest(): Promise<void> {
    const wanted = this.chunk.chunkDigest;
    if (wanted === undefined) return;
    const hash = this.chunkHash ?? (await hashRange(this.stored, this.chunk.offset, this.position));
    const digest = digestFromHex(hash.digest('hex'));
    if (digest === wanted) return;
    await this.rollBack();
    throw mismatch('this chunk', wanted, digest);
  }

  private async countBytes(): Promise<void> {
    const { entry, chunk } = this;
    const grown = this.position > entry.received;
    // A file of no bytes has a part as well.
    if (grown || !entry.onDisk) {
      const part = await this.openPart();
      await part.sync();
      entry.received = this.position;
      entry.hash = part.hash.copy();
      entry.chunks += 1;
    }
    entry.withDigests ||= chunk.clientDigest !== undefined || chunk.chunkDigest !== undefined;
    entry.clientDigest ??= chunk.clientDigest;
    entry.declaredType = chunk.declaredType || entry.declaredType;
    entry.updatedAt = Date.now();
    if (entry.received < entry.key.total && grown) await noteProgress(this.place.folder, entry.toRecord());
  }
}

function mismatch(what: string, wanted: Digest, got: Digest): HoldfastError {
  const sentence = `The digest of ${what} is ${got}, not ${wanted}; send it again.`;
  return new HoldfastError('digest_mismatch', sentence, { details: { expected: wanted, got } });
}
