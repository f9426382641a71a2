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
