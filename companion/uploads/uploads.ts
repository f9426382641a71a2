import fs from 'node:fs/promises';
import { parseDigest, type Digest } from '../../shared/digest/digest.ts';
import { isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import type { UploadState } from '../../shared/protocol/requests.ts';
import { ensureReserve, type Collection } from '../collection/open-collection.ts';
import { findOutput, outputsOfResults } from '../collection/records/results.ts';
import type { OutputRow } from '../collection/records/tables.ts';
import type { Logger } from '../log/logger.ts';
import { sourceOfBlob } from './byte-source.ts';
import { ChunkTurn, type StoredBytes } from './chunk-turn.ts';
import { ChunkUpload } from './chunk-upload.ts';
import { FileBatch } from './file-batch.ts';
import { recoverUploads } from './recovery.ts';
import {
  checkFileSize,
  checkFreeDisk,
  checkPath,
  checkSnapshotSize,
  defaultUploadLimits,
  type UploadLimits,
} from './room.ts';
import { requireTarget, type UploadTarget } from './targets.ts';
import { UploadEntry, type UploadKey } from './upload-entry.ts';
import type { UploadIndex } from './upload-index.ts';

/** What an answer shows of a file that is not recorded yet. */
export interface PendingFile {
  path: string;
  /** Bytes that have arrived and are synced. */
  received: number;
  chunks: number;
  declaredType: string;
}

export interface UploadsOptions {
  collection: Collection;
  log: Logger;
  limits?: Partial<UploadLimits>;
}

const sweepIntervalMs = 24 * 3600_000;

/** Opens the uploads of a collection: what a crash left is put in order first. */
export async function createUploads(options: UploadsOptions): Promise<Uploads> {
  const index = await recoverUploads(options.collection, options.log, Date.now());
  return new Uploads(options, index);
}

/**
 * Takes bytes from clients into the collection (DESIGN section 5). Parts lie in `uploads/<random id>/`; rows change
 * only when a file is complete.
 */
export class Uploads {
  readonly limits: UploadLimits;
  private readonly collection: Collection;
  private readonly index: UploadIndex;
  private readonly sweeper: NodeJS.Timeout;

  constructor(options: UploadsOptions, index: UploadIndex) {
    this.collection = options.collection;
    this.limits = { ...defaultUploadLimits, ...options.limits };
    this.index = index;
    const sweep = (): void => {
      this.removeSilent(Date.now()).catch((error: unknown) =>
        options.log.error({ err: error }, 'removing silent uploads failed'),
      );
    };
    this.sweeper = setInterval(sweep, sweepIntervalMs).unref();
  }

  close(): void {
    clearInterval(this.sweeper);
  }

  /** The rows of a result. Throws `not_found`, or `deleted` when nothing of the page is left but its name. */
  async requireTarget(resultId: string): Promise<UploadTarget> {
    const entries = this.index.ofResult(resultId);
    try {
      return requireTarget(this.collection.db, resultId, entries[0]?.snapshotId);
    } catch (error) {
      // Nobody will finish these; their bytes go with the page.
      if (isHoldfastError(error) && error.code === 'deleted') for (const entry of entries) await this.remove(entry);
      throw error;
    }
  }

  /**
   * Takes the turn at one upload; an older request at it is aborted. Limits are checked before a byte is taken.
   * `close` the returned upload in any case.
   */
  async begin(target: UploadTarget, key: UploadKey): Promise<ChunkUpload> {
    checkFileSize(key.total, this.limits);
    const entry = this.index.find(key) ?? this.add(new UploadEntry(key, target.snapshot.id));
    const { signal, release } = await entry.takeTurn();
    if (entry.gone) {
      release();
      return this.begin(await this.requireTarget(key.resultId), key);
    }
    const place = {
      folder: this.collection.layout.upload(entry.id),
      recorded: entry.onDisk ? undefined : this.recordedBytes(key),
      promoted: entry.completion?.files[0] && this.storedBytes(entry.completion.files[0].digest),
      admit: () => this.admit(target, entry),
    };
    const turn = new ChunkTurn(entry, place, signal);
    return new ChunkUpload({
      collection: this.collection,
      index: this.index,
      entry,
      turn,
      release,
      result: target.result,
    });
  }

  /** Starts to take in whole files of one request. */
  batch(): FileBatch {
    return new FileBatch(this.collection, this.limits);
  }

  /** Files of this result that are under way for this client. */
  pending(resultId: string, token: string): PendingFile[] {
    return this.index
      .ofResult(resultId)
      .filter((entry) => entry.key.token === token && entry.received > 0)
      .map((entry) => ({
        path: entry.key.path,
        received: entry.received,
        chunks: entry.chunks,
        declaredType: entry.declaredType,
      }));
  }

  /** What has arrived of each file of a result, for a client that goes on. */
  states(resultId: string, token: string): UploadState[] {
    const states = new Map<string, UploadState>();
    for (const output of outputsOfResults(this.collection.db, [resultId]).get(resultId) ?? []) {
      states.set(output.path, {
        path: output.path,
        received: output.size,
        total: output.size,
        complete: true,
        digest: output.digest,
      });
    }
    for (const entry of this.index.ofResult(resultId)) {
      if (entry.key.token !== token || !entry.onDisk) continue;
      const { path, total } = entry.key;
      states.set(path, {
        path,
        received: entry.received,
        total,
        complete: false,
        digest: entry.completion?.files[0]?.digest ?? null,
      });
    }
    return [...states.values()];
  }

  /** Removes parts that nobody wrote to for 30 days; their results stay as they are. */
  async removeSilent(now: number): Promise<void> {
    for (const entry of this.index.all()) {
      if (entry.onDisk && now - entry.updatedAt > limits.uploadSilentMs) await this.remove(entry);
    }
  }

  private async remove(entry: UploadEntry): Promise<void> {
    const { release } = await entry.takeTurn();
    try {
      await fs.rm(this.collection.layout.upload(entry.id), { recursive: true, force: true });
      this.index.remove(entry);
    } finally {
      release();
    }
  }

  private add(entry: UploadEntry): UploadEntry {
    this.index.add(entry);
    return entry;
  }

  private recordedBytes(key: UploadKey): StoredBytes | undefined {
    const output: OutputRow | undefined = findOutput(this.collection.db, key.resultId, key.path);
    const digest = output?.size === key.total ? parseDigest(output.digest) : undefined;
    return digest && this.storedBytes(digest);
  }

  private storedBytes(digest: Digest): StoredBytes {
    return { digest, ...sourceOfBlob(this.collection, digest) };
  }

  /** Before the first byte of a new upload is written. */
  private async admit(target: UploadTarget, entry: UploadEntry): Promise<void> {
    const { key } = entry;
    checkPath(this.collection.db, key.resultId, key.path, this.limits);
    const announced = this.index.announcedBytes(entry.snapshotId) - key.total;
    checkSnapshotSize(target.snapshot, announced, key.total, this.limits);
    await checkFreeDisk(this.collection.layout.uploads(), key.total, this.limits);
    ensureReserve(this.collection.layout);
  }
}
