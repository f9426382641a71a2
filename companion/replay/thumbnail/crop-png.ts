import { once } from 'node:events';
import { promisify } from 'node:util';
import zlib from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const CHUNK_HEAD_BYTES = 8;
const CHECKSUM_BYTES = 4;
const HEADER_BYTES = 13;
/** Chunks other than pixel data are small; a larger one is no picture of ours. */
const CHUNK_BYTES_MAX = 64 * 1024 * 1024;
const PALETTE_CHUNKS = new Set(['PLTE', 'tRNS']);
const deflate = promisify(zlib.deflate);

interface PngHeader {
  /** Pixels. */
  width: number;
  height: number;
  /** Bytes of one row with its filter byte. */
  rowBytes: number;
  isInterlaced: boolean;
  bytes: Buffer;
}

interface Chunk {
  type: string;
  data: Buffer;
}

/**
 * The top of a PNG as a PNG of its own, `rowsOf(width)` rows high. Reads and unpacks only what it needs: a full-page
 * picture is often twenty screens tall. Undefined when the bytes are no PNG, are interlaced (their top comes last) or
 * hold more than `pixelsMax` pixels in these rows.
 */
export async function cropPng(
  source: AsyncIterable<Buffer>,
  rowsOf: (width: number) => number,
  pixelsMax: number,
): Promise<Buffer | undefined> {
  const inflate = zlib.createInflate();
  const rows: Buffer[] = [];
  let wanted = Infinity;
  let unpacked = 0;
  inflate.on('data', (piece: Buffer) => {
    if (unpacked < wanted) rows.push(piece);
    unpacked += piece.length;
  });
  const failed = new Promise<never>((_, reject) => inflate.once('error', reject));
  failed.catch(() => undefined);
  let header: PngHeader | undefined;
  const palette: Buffer[] = [];
  let height = 0;
  try {
    for await (const { type, data } of chunksOf(source)) {
      if (type === 'IHDR') {
        header = readHeader(data);
        if (!header || header.isInterlaced) return undefined;
        height = Math.min(header.height, rowsOf(header.width));
        if (height * header.width > pixelsMax) return undefined;
        wanted = height * header.rowBytes;
      } else if (PALETTE_CHUNKS.has(type)) palette.push(chunk(type, data));
      else if (type === 'IDAT') await Promise.race([push(inflate, data), failed]);
      if (type === 'IEND' || unpacked >= wanted) break;
    }
    if (!header) return undefined;
    if (unpacked < wanted) await Promise.race([finishInflate(inflate), failed]);
    if (unpacked < wanted) return undefined;
    return assemble(header, height, palette, Buffer.concat(rows).subarray(0, wanted));
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  } finally {
    inflate.destroy();
  }
}

/** Errors of zlib and of our own reading mean that the bytes are no whole picture. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof DamagedPng || (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
  );
}

class DamagedPng extends Error {}

/** Resolves when the data is unpacked, so that no more is read than needed. */
function push(inflate: zlib.Inflate, data: Buffer): Promise<void> {
  return new Promise((resolve) => inflate.write(data, () => resolve()));
}

/** Gives out what is still inside; a stream that was cut off fails here. */
async function finishInflate(inflate: zlib.Inflate): Promise<void> {
  const ended = once(inflate, 'end');
  inflate.end();
  await ended;
}

async function assemble(header: PngHeader, height: number, palette: Buffer[], rows: Buffer): Promise<Buffer> {
  const ihdr = Buffer.from(header.bytes);
  ihdr.writeUInt32BE(height, 4);
  const idat = await deflate(rows, { level: 1 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', ihdr),
    ...palette,
    chunk('IDAT', idat),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(CHUNK_HEAD_BYTES);
  head.writeUInt32BE(data.length);
  head.write(type, 4, 'latin1');
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32BE(zlib.crc32(data, zlib.crc32(head.subarray(4))));
  return Buffer.concat([head, data, checksum]);
}

const samplesPerPixel = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);

function readHeader(data: Buffer): PngHeader | undefined {
  if (data.length !== HEADER_BYTES) return undefined;
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const samples = samplesPerPixel.get(data[9]!);
  if (samples === undefined || width === 0 || height === 0) return undefined;
  const rowBytes = 1 + Math.ceil((width * samples * data[8]!) / 8);
  return { width, height, rowBytes, isInterlaced: data[12] !== 0, bytes: data };
}

/** The chunks of a PNG; those with pixels come in the pieces they are read in. */
async function* chunksOf(source: AsyncIterable<Buffer>): AsyncGenerator<Chunk> {
  let held: Buffer = Buffer.alloc(0);
  let pixelBytesLeft = 0;
  let started = false;
  for await (const piece of source) {
    held = held.length === 0 ? piece : Buffer.concat([held, piece]);
    if (!started) {
      if (held.length < SIGNATURE.length) continue;
      if (!held.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new DamagedPng('no PNG');
      held = held.subarray(SIGNATURE.length);
      started = true;
    }
    for (;;) {
      if (pixelBytesLeft > CHECKSUM_BYTES) {
        if (held.length === 0) break;
        const data = held.subarray(0, pixelBytesLeft - CHECKSUM_BYTES);
        pixelBytesLeft -= data.length;
        held = held.subarray(data.length);
        yield { type: 'IDAT', data };
        continue;
      }
      if (held.length < pixelBytesLeft + CHUNK_HEAD_BYTES) break;
      const at = pixelBytesLeft;
      const length = held.readUInt32BE(at);
      const type = held.toString('latin1', at + 4, at + CHUNK_HEAD_BYTES);
      if (type === 'IDAT') {
        held = held.subarray(at + CHUNK_HEAD_BYTES);
        pixelBytesLeft = length + CHECKSUM_BYTES;
        continue;
      }
      if (length > CHUNK_BYTES_MAX) throw new DamagedPng('a chunk is too long');
      const end = at + CHUNK_HEAD_BYTES + length;
      if (held.length < end + CHECKSUM_BYTES) break;
      yield { type, data: held.subarray(at + CHUNK_HEAD_BYTES, end) };
      held = held.subarray(end + CHECKSUM_BYTES);
      pixelBytesLeft = 0;
    }
  }
}
