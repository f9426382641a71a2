import { randomUUID, type Hash } from 'node:crypto';
import type { Digest } from '../../shared/digest/digest.ts';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { ChunkedFacts, Completion, UploadRecord } from './upload-record.ts';

/** What the chunk fields of the reference find an upload by (DESIGN section 5). */
export interface UploadKey {
  resultId: string;
  path: string;
  /** Bytes of the whole file. */
  total: number;
  /** Names the token or session. */
  token: string;
}

export function keyText(key: UploadKey): string {
  return [key.resultId, key.total, key.token, key.path].join('\0');
}

/** One upload that is under way. Rows know nothing of it; its folder does. */
export class UploadEntry {
  readonly id: string;
  readonly key: UploadKey;
  readonly snapshotId: string;
  /** Synced bytes. */
  received = 0;
  chunks = 0;
  clientDigest: Digest | undefined;
  withDigests = false;
  declaredType = '';
  /** Milliseconds UTC of the last chunk. */
  updatedAt = Date.now();
  /** Digest state over the received bytes; undefined after a restart, until it is read again. */
  hash: Hash | undefined;
  /** Set when all bytes are there and checked: only promotion and rows are missing. */
  completion: Completion | undefined;
  /** Whether its folder exists. */
  onDisk = false;
  /** Removed from the index; who waited for it looks again. */
  gone = false;
  private writer: { abort: AbortController; done: Promise<void> } | undefined;

  constructor(key: UploadKey, snapshotId: string, id: string = randomUUID()) {
    this.key = key;
    this.snapshotId = snapshotId;
    this.id = id;
  }

  static fromRecord(id: string, record: UploadRecord, chunked: ChunkedFacts): UploadEntry {
    const key = { resultId: record.result, path: chunked.path, total: chunked.total, token: chunked.token };
    const entry = new UploadEntry(key, record.snapshot, id);
    entry.received = chunked.received;
    entry.chunks = chunked.chunks;
    entry.clientDigest = chunked.client_digest ?? undefined;
    entry.withDigests = chunked.with_digests;
    entry.declaredType = chunked.declared_type;
    entry.updatedAt = record.updated_at;
    entry.completion = record.completion ?? undefined;
    entry.onDisk = true;
    return entry;
  }

  toRecord(): UploadRecord {
    return {
      version: 1,
      result: this.key.resultId,
      snapshot: this.snapshotId,
      chunked: {
        path: this.key.path,
        total: this.key.total,
        token: this.key.token,
        client_digest: this.clientDigest ?? null,
        with_digests: this.withDigests,
        declared_type: this.declaredType,
        received: this.received,
        chunks: this.chunks,
      },
      completion: this.completion ?? null,
      updated_at: this.updatedAt,
    };
  }

  /** Nothing received, nothing known of the content; the folder is the caller's business. */
  empty(): void {
    this.received = 0;
    this.chunks = 0;
    this.hash = undefined;
    this.clientDigest = undefined;
    this.completion = undefined;
  }

  /**
   * Becomes the one writer; an older writer is aborted and waited for. Returns a signal that fires when a newer
   * request wants its turn, and the function that ends the turn.
   */
  async takeTurn(): Promise<{ signal: AbortSignal; release: () => void }> {
    while (this.writer) {
      this.writer.abort.abort(new HoldfastError('superseded', 'A newer request took over this upload.'));
      await this.writer.done;
    }
    const abort = new AbortController();
    let finished: () => void = () => undefined;
    const writer = { abort, done: new Promise<void>((resolve) => (finished = resolve)) };
    this.writer = writer;
    const release = (): void => {
      this.writer = undefined;
      finished();
    };
    return { signal: abort.signal, release };
  }
}
