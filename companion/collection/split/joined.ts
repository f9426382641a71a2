import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Digest } from '../../../shared/digest/digest.ts';
import type { ByteRange } from '../blobs/byte-range.ts';
import { segmentsOf, type Recipe, type Segment } from './recipe.ts';

/** A multiple of three, so that each piece but the last is encoded without padding. */
const PIECE_BYTES = 3 * 64 * 1024;

/** The joined bytes of a page that is stored split, or a range of them. `fileOf` names a blob's file. */
export function readJoined(recipe: Recipe, fileOf: (digest: Digest) => string, range?: ByteRange): Readable {
  return Readable.from(joinedPieces(recipe, fileOf, range ?? { start: 0, end: recipe.size - 1 }), {
    objectMode: false,
  });
}

async function* joinedPieces(
  recipe: Recipe,
  fileOf: (digest: Digest) => string,
  range: ByteRange,
): AsyncGenerator<Buffer> {
  let at = 0;
  for (const segment of segmentsOf(recipe)) {
    const start = Math.max(range.start - at, 0);
    const end = Math.min(range.end + 1 - at, segment.length);
    at += segment.length;
    if (start < end) yield* piecesOf(segment, fileOf, start, end);
    if (at > range.end) return;
  }
}

/** Bytes `start` to `end` (exclusive) of one segment. */
async function* piecesOf(
  segment: Segment,
  fileOf: (digest: Digest) => string,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  if (segment.kind === 'text') {
    yield Buffer.from(segment.text, 'latin1').subarray(start, end);
  } else if (segment.kind === 'bytes') {
    yield* createReadStream(fileOf(segment.blob), { start: segment.start + start, end: segment.start + end - 1 });
  } else {
    yield* encodedPieces(fileOf(segment.blob), start, end);
  }
}

/** Characters `start` to `end` (exclusive) of a file's base64. */
async function* encodedPieces(file: string, start: number, end: number): AsyncGenerator<Buffer> {
  const firstGroup = Math.floor(start / 4);
  const bytes = createReadStream(file, {
    start: firstGroup * 3,
    end: Math.ceil(end / 4) * 3 - 1,
    highWaterMark: PIECE_BYTES,
  });
  let at = firstGroup * 4;
  let rest: Buffer = Buffer.alloc(0);
  const encode = (raw: Buffer): Buffer => {
    const encoded = Buffer.from(raw.toString('base64'), 'latin1');
    const piece = encoded.subarray(Math.max(start - at, 0), Math.max(Math.min(end - at, encoded.length), 0));
    at += encoded.length;
    return piece;
  };
  for await (const chunk of bytes) {
    const raw = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    const whole = raw.length - (raw.length % 3);
    rest = raw.subarray(whole);
    if (whole > 0) yield encode(raw.subarray(0, whole));
  }
  if (rest.length > 0) yield encode(rest);
}
