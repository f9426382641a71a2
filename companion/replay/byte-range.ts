import type { ByteRange } from '../collection/blobs/byte-range.ts';

/**
 * The one range a request asks for: a range, `unsatisfiable`, or undefined when the whole is to be sent (no header,
 * several ranges, another unit, or bytes that changed since the client's first part).
 */
export function requestedRange(headers: Headers, size: number, etag: string): ByteRange | 'unsatisfiable' | undefined {
  const condition = headers.get('If-Range');
  if (condition !== null && condition !== etag) return undefined;
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.get('Range')?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (start >= size) return 'unsatisfiable';
  return end < start ? undefined : { start, end };
}

/** True when the client already has these bytes. */
export function isUnchanged(headers: Headers, etag: string): boolean {
  const known = headers.get('If-None-Match');
  return (
    known !== null && known.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag || tag.trim() === '*')
  );
}
