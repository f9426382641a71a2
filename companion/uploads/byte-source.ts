import { createHash, type Hash } from 'node:crypto';
import fs from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Digest } from '../../shared/digest/digest.ts';
import type { Collection } from '../collection/open-collection.ts';
import { readJoined } from '../collection/split/joined.ts';

/** Reads from anywhere; fewer bytes than asked for come only at the end. */
export interface ByteReader {
  read(position: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/** Bytes that an upload is compared with: its part, or what the collection keeps under a digest, whole or split. */
export interface ByteSource {
  open(): Promise<ByteReader>;
}

const PIECE_BYTES = 1024 * 1024;

export function sourceOfFile(file: string): ByteSource {
  return {
    open: async () => {
      const handle = await fs.open(file, 'r');
      const read = async (position: number, length: number): Promise<Buffer> => {
        const there = Buffer.allocUnsafe(length);
        let filled = 0;
        while (filled < length) {
          const { bytesRead } = await handle.read(there, filled, length - filled, position + filled);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return there.subarray(0, filled);
      };
      return { read, close: () => handle.close() };
    },
  };
}

export function sourceOfBlob(collection: Pick<Collection, 'blobs' | 'layout'>, digest: Digest): ByteSource {
  return {
    open: async () => {
      const { blobs, layout } = collection;
      const recipe = await blobs.recipe(digest);
      if (!recipe) return sourceOfFile(layout.blob(digest)).open();
      // With the side record read once: a chunk is compared in many pieces.
      const read = (position: number, length: number): Promise<Buffer> =>
        buffer(readJoined(recipe, (part) => layout.blob(part), { start: position, end: position + length - 1 }));
      return { read, close: async () => undefined };
    },
  };
}

/** SHA-256 state over bytes `start` to `end` (exclusive). */
export async function hashRange(source: ByteSource, start: number, end: number): Promise<Hash> {
  const hash = createHash('sha256');
  for await (const piece of piecesOf(source, start, end)) hash.update(piece);
  return hash;
}

/** Bytes `start` to `end` (exclusive), fewer when the source is shorter. */
export async function* piecesOf(source: ByteSource, start: number, end: number): AsyncGenerator<Buffer> {
  if (end <= start) return;
  const reader = await source.open();
  try {
    for (let at = start; at < end;) {
      const piece = await reader.read(at, Math.min(PIECE_BYTES, end - at));
      if (piece.length === 0) return;
      at += piece.length;
      yield piece;
    }
  } finally {
    await reader.close();
  }
}

/** How many of the bytes equal those of the source at `position`; less than all means they differ there. */
export async function equalBytes(reader: ByteReader, bytes: Buffer, position: number): Promise<number> {
  const there = await reader.read(position, bytes.length);
  if (there.equals(bytes)) return bytes.length;
  let equal = 0;
  while (equal < there.length && there[equal] === bytes[equal]) equal += 1;
  return equal;
}
