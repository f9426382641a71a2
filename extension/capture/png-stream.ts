import { crc32 } from './crc32.ts';
import { filterRow } from './png-filter.ts';

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const RGB = 2;
const CHANNELS = 3;

/**
 * Writes one PNG row by row. A canvas ends at about 16 000 pixels a side and would hold every pixel; this holds one
 * row and what is already compressed, so a picture may be as tall as it must.
 */
export class PngStream {
  readonly width: number;
  #height = 0;
  #previous: Uint8Array;
  readonly #compressed: Uint8Array[] = [];
  readonly #input: WritableStreamDefaultWriter<BufferSource>;
  readonly #drained: Promise<void>;

  constructor(width: number) {
    this.width = width;
    this.#previous = new Uint8Array(width * CHANNELS);
    const deflate = new CompressionStream('deflate');
    this.#input = deflate.writable.getWriter();
    this.#drained = this.#drain(deflate.readable);
  }

  get height(): number {
    return this.#height;
  }

  /** Appends rows of RGBA pixels, `width` wide; transparency is dropped (a screen has none). */
  async writeRows(rgba: Uint8ClampedArray): Promise<void> {
    const rowBytes = this.width * 4;
    const rows = rgba.length / rowBytes;
    const filtered = new Uint8Array(rows * (1 + this.width * CHANNELS));
    let at = 0;
    for (let row = 0; row < rows; row += 1) {
      const rgb = withoutAlpha(rgba.subarray(row * rowBytes, (row + 1) * rowBytes));
      at += filterRow(rgb, this.#previous, CHANNELS, filtered.subarray(at));
      this.#previous = rgb;
    }
    this.#height += rows;
    await this.#input.write(filtered);
  }

  /** Ends the picture and hands out its bytes in order. */
  async finish(write: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    await this.#input.close();
    await this.#drained;
    await write(SIGNATURE);
    await write(chunk('IHDR', header(this.width, this.#height)));
    for (const data of this.#compressed) await write(chunk('IDAT', data));
    await write(chunk('IEND', new Uint8Array(0)));
  }

  async #drain(readable: ReadableStream<Uint8Array>): Promise<void> {
    const reader = readable.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) this.#compressed.push(part.value);
  }
}

function withoutAlpha(rgba: Uint8ClampedArray): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * CHANNELS);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from]!;
    rgb[to + 1] = rgba[from + 1]!;
    rgb[to + 2] = rgba[from + 2]!;
  }
  return rgb;
}

function header(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(13);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  bytes.set([8, RGB, 0, 0, 0], 8);
  return bytes;
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(12 + data.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, data.length);
  bytes.set(new TextEncoder().encode(type), 4);
  bytes.set(data, 8);
  view.setUint32(8 + data.length, crc32(bytes.subarray(4, 8 + data.length)));
  return bytes;
}
