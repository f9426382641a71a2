import { limits } from '../../shared/limits.ts';
import { withDeadline } from '../platform/deadline.ts';
import { saveAsMhtml } from '../platform/features.ts';
import type { OpenFile } from './file-sink.ts';

const TRIES = 3;
const SLICE_BYTES = limits.uploadChunkBytes;

/**
 * Takes the page as the browser's own web archive. In the first seconds of a fresh browser the archive it gives cannot
 * be read; reading again does not help, asking again does.
 * @throws Error with a sentence when the permission is missing, the browser refuses, or time runs out
 */
export async function captureMhtml(tabId: number, openFile: OpenFile): Promise<void> {
  let last: unknown;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const blob = await withDeadline(
      saveAsMhtml(tabId),
      limits.mhtmlDeadlineMs,
      `The browser did not finish the web archive within ${limits.mhtmlDeadlineMs / 1000} seconds.`,
    );
    if (!blob)
      throw new Error('The web archive (MHTML) needs the permission "save pages as MHTML", which was not given.');
    try {
      return await store(blob, openFile);
    } catch (error) {
      if (!isReadFailure(error)) throw error;
      last = error;
    }
  }
  throw new Error('The browser made a web archive that cannot be read.', { cause: last });
}

async function store(blob: Blob, openFile: OpenFile): Promise<void> {
  // The first slice is read before anything is opened: that is where an unreadable archive shows.
  const first = new Uint8Array(await blob.slice(0, SLICE_BYTES).arrayBuffer());
  const sink = await openFile('snapshot.mhtml', 'multipart/related');
  try {
    await sink.write(first);
    for (let at = SLICE_BYTES; at < blob.size; at += SLICE_BYTES) {
      await sink.write(new Uint8Array(await blob.slice(at, at + SLICE_BYTES).arrayBuffer()));
    }
    await sink.close();
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

function isReadFailure(error: unknown): boolean {
  return error instanceof DOMException && (error.name === 'NotFoundError' || error.name === 'NotReadableError');
}
