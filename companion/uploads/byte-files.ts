import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import fs from 'node:fs/promises';
import { sniffBytes } from '../collection/mimetypes.ts';

/** Writes all of the buffers at `position`; the system may take them in several goes. */
export async function writeFully(handle: FileHandle, buffers: readonly Buffer[], position: number): Promise<void> {
  let rest = [...buffers];
  let at = position;
  while (rest.length > 0) {
    const { bytesWritten } = await handle.writev(rest, at);
    at += bytesWritten;
    rest = dropBytes(rest, bytesWritten);
  }
}

/** The buffers without their first `count` bytes. */
export function dropBytes(buffers: readonly Buffer[], count: number): Buffer[] {
  let left = count;
  const rest: Buffer[] = [];
  for (const buffer of buffers) {
    if (left >= buffer.length) left -= buffer.length;
    else {
      rest.push(left === 0 ? buffer : buffer.subarray(left));
      left = 0;
    }
  }
  return rest;
}

/** SHA-256 state over bytes `start` to `end` (exclusive) of a file. */
export async function hashRange(file: string, start: number, end: number): Promise<Hash> {
  const hash = createHash('sha256');
  if (end <= start) return hash;
  for await (const chunk of createReadStream(file, { start, end: end - 1, highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
  }
  return hash;
}

/** How many of the bytes equal those of the file at `position`; less than all means they differ there. */
export async function equalBytes(handle: FileHandle, bytes: Buffer, position: number): Promise<number> {
  const there = Buffer.allocUnsafe(bytes.length);
  let filled = 0;
  while (filled < there.length) {
    const { bytesRead } = await handle.read(there, filled, there.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  if (filled === bytes.length && there.equals(bytes)) return bytes.length;
  let equal = 0;
  while (equal < filled && there[equal] === bytes[equal]) equal += 1;
  return equal;
}

/** The beginning of a file, enough to tell its type. */
export async function readHead(file: string): Promise<Buffer> {
  const handle = await fs.open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sniffBytes), 0, sniffBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
