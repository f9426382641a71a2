import { createSHA256 } from 'hash-wasm';
import type { IHasher } from 'hash-wasm';
import { limits } from '../../shared/limits.ts';
import { digestFromHex } from '../../shared/digest/digest.ts';
import type { Digest } from '../../shared/digest/digest.ts';
import type { OutboxStore } from './outbox-store.ts';

const PIECE_BYTES = limits.uploadChunkBytes;

/**
 * One file on its way into the outbox, in pieces of one upload chunk. It counts only when `close` has read every piece
 * back from the disk and found the bytes that were written.
 */
export class OutboxFile {
  readonly #store: OutboxStore;
  readonly #captureId: string;
  readonly #path: string;
  readonly #onClosed: (bytes: number, digest: Digest) => Promise<void>;
  #hasher: IHasher | undefined;
  #piece = new Uint8Array(PIECE_BYTES);
  #filled = 0;
  #pieces = 0;
  #bytes = 0;

  constructor(
    store: OutboxStore,
    captureId: string,
    path: string,
    onClosed: (bytes: number, digest: Digest) => Promise<void>,
  ) {
    this.#store = store;
    this.#captureId = captureId;
    this.#path = path;
    this.#onClosed = onClosed;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hasher ??= await createSHA256();
    this.#hasher.update(bytes);
    this.#bytes += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + PIECE_BYTES - this.#filled);
      this.#piece.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === PIECE_BYTES) await this.#flush();
    }
  }

  /** @throws Error when what is on the disk is not what was written */
  async close(): Promise<void> {
    await this.#flush();
    this.#hasher ??= await createSHA256();
    const written = digestFromHex(this.#hasher.digest('hex'));
    const read = await digestOfPieces(this.#store, this.#captureId, this.#path, this.#pieces);
    if (read !== written) throw new Error('The browser did not keep what was written to its disk.');
    await this.#onClosed(this.#bytes, written);
  }

  async abandon(): Promise<void> {
    await this.#store.removePieces(this.#captureId, this.#path);
  }

  async #flush(): Promise<void> {
    if (this.#filled === 0) return;
    try {
      await this.#store.putPiece(this.#captureId, this.#path, this.#pieces, this.#piece.slice(0, this.#filled));
    } catch (error) {
      if (error instanceof DOMException && error.name === 'QuotaExceededError') {
        throw new Error('This browser has no room left on its disk.', { cause: error });
      }
      throw error;
    }
    this.#pieces += 1;
    this.#filled = 0;
  }
}

async function digestOfPieces(store: OutboxStore, id: string, path: string, pieces: number): Promise<Digest> {
  const hasher = await createSHA256();
  for (let index = 0; index < pieces; index += 1) {
    const bytes = await store.findPiece(id, path, index);
    if (!bytes) throw new Error('The browser lost a part of what was written to its disk.');
    hasher.update(bytes);
  }
  return digestFromHex(hasher.digest('hex'));
}
