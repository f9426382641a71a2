import fs from 'node:fs';
import { parseDigest } from '../../shared/digest/digest.ts';
import { limits } from '../../shared/limits.ts';
import { errnoOf } from '../collection/durable-files.ts';
import type { Layout } from '../collection/layout.ts';

/** The first megabytes of a recorded text; undefined when its bytes are gone. Blocks: only for worker threads. */
export function readRecordedText(
  layout: Layout,
  digestText: string,
  bytesMax: number = limits.searchTextBytesMax,
): string | undefined {
  const digest = parseDigest(digestText);
  if (digest === undefined) return undefined;
  let file: number;
  try {
    file = fs.openSync(layout.blob(digest), 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const size = Math.min(fs.fstatSync(file).size, bytesMax);
    const bytes = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      const read = fs.readSync(file, bytes, filled, size - filled, filled);
      if (read === 0) break;
      filled += read;
    }
    return bytes.toString('utf8', 0, filled);
  } finally {
    fs.closeSync(file);
  }
}
