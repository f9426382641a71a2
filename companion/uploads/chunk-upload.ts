import path from 'node:path';
import type { Readable } from 'node:stream';
import { isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Digest } from '../../shared/digest/digest.ts';
import { diskFull } from '../collection/blobs/gate.ts';
import { sniffMimetype } from '../collection/mimetypes.ts';
import { releaseReserve, type Collection } from '../collection/open-collection.ts';
import { mergeResult } from '../collection/records/results.ts';
import type { ArchiveResultRow } from '../collection/records/tables.ts';
import { readHead } from './byte-files.ts';
import type { Chunk, ChunkTurn } from './chunk-turn.ts';
import { finishUpload } from './finish.ts';
import { BrokenOff } from './pump.ts';
import type { UploadEntry } from './upload-entry.ts';
import type { UploadIndex } from './upload-index.ts';
import { saveRecord, partName, type CompleteFile, type WireChanges } from './upload-record.ts';

/** What the client says of its chunks, kept for the API only. */
export interface ChunkCount {
  index: number;
  count: number;
}

export interface ChunkOutcome {
  result: ArchiveResultRow;
  /** The whole file is recorded; it survives a power cut. */
  complete: boolean;
  /** Synced bytes. */
  received: number;
}

/** Complete bytes that no row will ever name. */
const refusedForGood = new Set<string>(['deleted', 'not_found', 'invalid_path', 'too_many_files']);

interface ChunkParts {
  collection: Collection;
  index: UploadIndex;
  entry: UploadEntry;
  turn: ChunkTurn;
  release: () => void;
  result: ArchiveResultRow;
}

/** One chunk on its way in. Call `receive`, then `finish`, and `close` in any case. */
export class ChunkUpload {
  private readonly collection: Collection;
  private readonly index: UploadIndex;
  private readonly entry: UploadEntry;
  private readonly turn: ChunkTurn;
  private readonly release: () => void;
  /** The row as it was when the turn began. */
  private readonly result: ArchiveResultRow;

  constructor(parts: ChunkParts) {
    this.collection = parts.collection;
    this.result = parts.result;
    this.index = parts.index;
    this.entry = parts.entry;
    this.turn = parts.turn;
    this.release = parts.release;
  }

  /** Writes the bytes; they count only after `finish`, or when the connection breaks off. */
  async receive(bytes: Readable, chunk: Chunk): Promise<void> {
    await this.guard(() => this.turn.receive(bytes, chunk));
  }

  /**
   * Makes the chunk count. `late` holds what the request said after its bytes, `changes` what a complete file changes
   * in its result. An intermediate chunk changes no row.
   */
  async finish(late: Partial<Omit<Chunk, 'offset'>>, changes: WireChanges, count?: ChunkCount): Promise<ChunkOutcome> {
    const digest = await this.guard(() => this.turn.settle(late));
    const { entry } = this;
    const total = entry.key.total;
    if (this.turn.matchesRecorded) {
      const result = this.turn.reachedEnd ? await this.mergeAgain(changes) : this.result;
      return { result, complete: true, received: total };
    }
    if (digest === undefined) return { result: this.result, complete: false, received: entry.received };
    await this.guard(() => this.noteCompletion(digest, changes, count));
    const result = await this.record();
    return { result, complete: true, received: total };
  }

  async close(): Promise<void> {
    await this.turn.close();
    if (!this.entry.onDisk) this.index.remove(this.entry);
    this.release();
  }

  private get folder(): string {
    return this.collection.layout.upload(this.entry.id);
  }

  /** Runs a step that touches the disk; whatever goes wrong, only synced and checked bytes stay. */
  private async guard<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      const gone = error instanceof BrokenOff || (isHoldfastError(error) && error.code === 'superseded');
      const mapped = diskFull(error);
      if (isHoldfastError(mapped) && mapped.code === 'disk_full') releaseReserve(this.collection.layout);
      await (gone ? this.turn.keepWhatArrived().catch(() => this.turn.rollBack()) : this.turn.rollBack());
      throw mapped;
    }
  }

  /** Notes the digest and what the rows will say: from here recovery finishes the upload by itself. */
  private async noteCompletion(digest: Digest, changes: WireChanges, count: ChunkCount | undefined): Promise<void> {
    const { entry } = this;
    const file = entry.completion?.files[0] ?? (await this.describe(digest));
    const chunks = count?.count ?? entry.chunks;
    const upload = {
      chunked: true,
      chunk_index: count?.index ?? Math.max(0, chunks - 1),
      chunk_count: chunks,
      chunks_received: chunks,
      complete: true,
    };
    entry.completion = { files: [{ ...file, upload }], changes };
    await saveRecord(this.folder, entry.toRecord());
  }

  private async describe(digest: Digest): Promise<CompleteFile> {
    const { key, declaredType } = this.entry;
    const head = await readHead(path.join(this.folder, partName));
    const mimetype = await sniffMimetype(head, key.path);
    return {
      part: partName,
      path: key.path,
      size: key.total,
      digest,
      mimetype,
      declared_type: declaredType,
      upload: null,
    };
  }

  private async record(): Promise<ArchiveResultRow> {
    const { entry, collection } = this;
    try {
      const result = await finishUpload(collection, this.folder, entry.key.resultId, entry.completion!);
      entry.onDisk = false;
      return result;
    } catch (error) {
      if (isHoldfastError(error) && refusedForGood.has(error.code)) await this.turn.discard();
      throw error;
    }
  }

  /** The answer to the last chunk was lost: nothing new, but what the request says of the result still holds. */
  private async mergeAgain(changes: WireChanges): Promise<ArchiveResultRow> {
    const { db } = this.collection;
    const key = { snapshotId: this.result.snapshot_id, plugin: this.result.plugin, hookName: this.result.hook_name };
    return db.write(() => mergeResult(db, key, changes, Date.now()));
  }
}
