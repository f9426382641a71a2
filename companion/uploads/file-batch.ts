import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { HoldfastError, isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { diskFull } from '../collection/blobs/gate.ts';
import { sniffMimetype } from '../collection/mimetypes.ts';
import { ensureReserve, releaseReserve, type Collection } from '../collection/open-collection.ts';
import type { ArchiveResultRow } from '../collection/records/tables.ts';
import { readHead, writeFully } from './byte-files.ts';
import { finishUpload } from './finish.ts';
import { pump } from './pump.ts';
import { checkFileSize, checkFreeDisk, checkPath, checkSnapshotSize, type UploadLimits } from './room.ts';
import { saveRecord, type CompleteFile, type WireChanges } from './upload-record.ts';
import type { UploadTarget } from './targets.ts';

/** A file of one request that lies in the batch's folder, synced. */
export interface StagedFile {
  part: string;
  /** Bytes. */
  size: number;
  digest: Digest;
}

export interface NamedFile {
  staged: StagedFile;
  path: string;
  declaredType: string;
}

/**
 * The whole files of one request. They are staged in one folder and become visible together, or not at all. Call
 * `close` in any case.
 */
export class FileBatch {
  private readonly collection: Collection;
  private readonly allowed: UploadLimits;
  private readonly id = randomUUID();
  private count = 0;
  private made = false;

  constructor(collection: Collection, allowed: UploadLimits) {
    this.collection = collection;
    this.allowed = allowed;
  }

  /** Takes in one file. `bytesAhead` is what the request announces, for the look at the free disk. */
  async add(bytes: Readable, bytesAhead: number, signal: AbortSignal): Promise<StagedFile> {
    if (this.count >= this.allowed.filesPerResultMax) {
      throw new HoldfastError('too_many_files', `One request may bring ${this.allowed.filesPerResultMax} files.`, {
        details: { limit: 'files', max: this.allowed.filesPerResultMax },
      });
    }
    if (!this.made) {
      await checkFreeDisk(this.collection.layout.uploads(), bytesAhead, this.allowed);
      ensureReserve(this.collection.layout);
      await fs.mkdir(this.folder, { mode: 0o700 });
      this.made = true;
    }
    const part = `part-${this.count}`;
    this.count += 1;
    try {
      return { part, ...(await this.stage(path.join(this.folder, part), bytes, signal)) };
    } catch (error) {
      throw this.explain(error);
    }
  }

  /** The bytes of a staged file once more, for a chunk whose fields came after it. */
  read(staged: StagedFile): Readable {
    return createReadStream(path.join(this.folder, staged.part));
  }

  /** Records the files with the changes of their result. */
  async finish(target: UploadTarget, files: readonly NamedFile[], changes: WireChanges): Promise<ArchiveResultRow> {
    const bytes = files.reduce((sum, file) => sum + file.staged.size, 0);
    checkSnapshotSize(target.snapshot, 0, bytes, this.allowed);
    for (const file of files) checkPath(this.collection.db, target.result.id, file.path, this.allowed);
    const completion = { files: await Promise.all(files.map((file) => this.describe(file))), changes };
    const { id: result, snapshot_id: snapshot } = target.result;
    try {
      await saveRecord(this.folder, {
        version: 1,
        result,
        snapshot,
        chunked: null,
        completion,
        updated_at: Date.now(),
      });
      return await finishUpload(this.collection, this.folder, result, completion);
    } catch (error) {
      throw this.explain(error);
    }
  }

  async close(): Promise<void> {
    if (this.made) await fs.rm(this.folder, { recursive: true, force: true });
  }

  private get folder(): string {
    return this.collection.layout.upload(this.id);
  }

  private async stage(file: string, bytes: Readable, signal: AbortSignal): Promise<Omit<StagedFile, 'part'>> {
    const handle = await fs.open(file, 'wx', 0o600);
    const hash = createHash('sha256');
    let size = 0;
    try {
      await pump(
        bytes,
        async (batch) => {
          const writing = writeFully(handle, batch, size);
          for (const buffer of batch) {
            hash.update(buffer);
            size += buffer.length;
          }
          await writing;
          checkFileSize(size, this.allowed);
        },
        signal,
      );
      await handle.datasync();
    } finally {
      await handle.close();
    }
    return { size, digest: digestFromHex(hash.digest('hex')) };
  }

  private async describe(file: NamedFile): Promise<CompleteFile> {
    const head = await readHead(path.join(this.folder, file.staged.part));
    const mimetype = await sniffMimetype(head, file.path);
    return { ...file.staged, path: file.path, mimetype, declared_type: file.declaredType, upload: null };
  }

  private explain(error: unknown): unknown {
    const mapped = diskFull(error);
    if (isHoldfastError(mapped) && mapped.code === 'disk_full') releaseReserve(this.collection.layout);
    return mapped;
  }
}
