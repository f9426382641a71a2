import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import { PngStream } from './png-stream.ts';

/** Pixels with flat parts, slopes and noise, so that each row filter is used. */
function pixelsOf(width: number, rows: number, seed: number): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(width * rows * 4);
  for (let at = 0; at < pixels.length; at += 4) {
    const row = Math.floor(at / 4 / width);
    const column = (at / 4) % width;
    const noise = row % 3 === 2 ? (Math.imul(at + seed, 2_654_435_761) >>> 24) & 0xff : 0;
    pixels.set([(column * 2) & 0xff, (row + seed) & 0xff, noise, 255], at);
  }
  return pixels;
}

async function write(width: number, bands: Uint8ClampedArray[]): Promise<Buffer> {
  const stream = new PngStream(width);
  const parts: Uint8Array[] = [];
  for (const band of bands) await stream.writeRows(band);
  await stream.finish(async (bytes) => void parts.push(bytes));
  return Buffer.concat(parts);
}

test('a picture written in bands reads back pixel for pixel', async () => {
  const bands = [pixelsOf(61, 256, 1), pixelsOf(61, 1, 2), pixelsOf(61, 90, 3)];
  const png = PNG.sync.read(await write(61, bands));
  expect([png.width, png.height]).toEqual([61, 347]);
  expect(png.data.equals(Buffer.concat(bands.map((band) => Buffer.from(band.buffer))))).toBe(true);
});

test('a picture may be as tall as no canvas is', async () => {
  const band = pixelsOf(3, 1_000, 7);
  const png = PNG.sync.read(
    await write(
      3,
      Array.from({ length: 32 }, () => band),
    ),
  );
  expect(png.height).toBe(32_000);
  expect(png.data.subarray(31_000 * 12).equals(Buffer.from(band))).toBe(true);
});

test('a flat picture is small', async () => {
  const flat = new Uint8ClampedArray(1_000 * 1_000 * 4).fill(200);
  expect((await write(1_000, [flat])).length).toBeLessThan(20_000);
});
