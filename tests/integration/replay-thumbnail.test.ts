import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { witnessPlugins } from '../../shared/model/states.ts';
import { startReplayBench, type ReplayBench } from '../helpers/replay-bench.ts';

let bench: ReplayBench;
beforeAll(async () => {
  bench = await startReplayBench();
});
afterAll(() => bench.close());

type Colour = [number, number, number, number];
const red: Colour = [255, 0, 0, 255];
const green: Colour = [0, 128, 0, 255];
const clear: Colour = [0, 0, 0, 0];

/** A picture as tall pages have them: red left and green right at the top, noise that packs badly below. */
function pageShot(width: number, height: number, top: number, left: Colour = red, options = {}): Buffer {
  const png = new PNG({ width, height });
  randomBytes(width * height * 4).copy(png.data);
  for (let y = 0; y < top; y += 1) {
    for (let x = 0; x < width; x += 1) png.data.set(x < width / 2 ? left : green, (y * width + x) * 4);
  }
  return PNG.sync.write(png, options);
}

const keepShot = (body: Buffer, file = 'screenshot.png', mimetype = 'image/png'): Promise<string> =>
  bench.keep({ outputs: [{ plugin: witnessPlugins.screenshot, path: file, mimetype, body }] });

function colourAt(png: PNG, x: number, y: number): number[] {
  return [...png.data.subarray((y * png.width + x) * 4, (y * png.width + x) * 4 + 4)];
}

test('a tall page is shown by its top, 320 pixels wide and 16 to 10', async () => {
  const shot = pageShot(640, 1500, 400);
  const thumbnail = await bench.replay.thumbnail(await keepShot(shot));
  expect(thumbnail?.type).toBe('image/png');
  const png = PNG.sync.read(Buffer.from(thumbnail!.body));
  expect([png.width, png.height]).toEqual([320, 200]);
  for (const y of [0, 100, 199]) expect([colourAt(png, 0, y), colourAt(png, 319, y)]).toEqual([red, green]);
  expect(thumbnail!.body.length).toBeLessThan(20_000);
});

test('what is transparent is shown on white, and a small picture keeps its size', async () => {
  const thumbnail = await bench.replay.thumbnail(await keepShot(pageShot(100, 40, 40, clear)));
  const png = PNG.sync.read(Buffer.from(thumbnail!.body));
  expect([png.width, png.height]).toEqual([100, 40]);
  expect(colourAt(png, 0, 0)).toEqual([255, 255, 255, 255]);
});

test('pictures without opacity and of grey are read as well', async () => {
  for (const colorType of [0, 2] as const) {
    const shot = pageShot(640, 500, 500, [200, 200, 200, 255], { colorType });
    const thumbnail = await bench.replay.thumbnail(await keepShot(shot));
    expect(colourAt(PNG.sync.read(Buffer.from(thumbnail!.body)), 0, 0)).toEqual([200, 200, 200, 255]);
  }
});

test('of a picture in parts the first is taken', async () => {
  const id = await bench.keep({
    outputs: ['screenshot-1.png', 'screenshot.png', 'screenshot-2.png'].map((file) => ({
      plugin: witnessPlugins.screenshot,
      path: file,
      mimetype: 'image/png',
      body: pageShot(320, 200, 200, file === 'screenshot.png' ? red : clear),
    })),
  });
  const thumbnail = await bench.replay.thumbnail(id);
  expect(colourAt(PNG.sync.read(Buffer.from(thumbnail!.body)), 0, 0)).toEqual(red);
});

test('it is made once: the second time it comes from the cache folder', async () => {
  const id = await keepShot(pageShot(400, 300, 300));
  const [first, second] = await Promise.all([bench.replay.thumbnail(id), bench.replay.thumbnail(id)]);
  expect(second).toEqual(first);
  const [output] = bench.replay.addresses(id).outputs;
  await bench.collection.blobs.remove(output!.digest as `sha256:${string}`);
  const cached = await bench.replay.thumbnail(id);
  expect(Buffer.from(cached!.body)).toEqual(Buffer.from(first!.body));
  const files = fs.readdirSync(path.join(bench.collection.layout.cache(), 'thumbnails'), { recursive: true });
  expect(files.some((file) => String(file).endsWith('.tmp'))).toBe(false);
});

test('no picture, another kind of file, a cut or hostile one give none', async () => {
  const whole = pageShot(640, 1200, 400);
  const hostile = Buffer.from(whole);
  hostile.writeUInt32BE(0x7fffffff, 16);
  const none = [
    await bench.keep({ outputs: [{ path: 'singlefile.html', mimetype: 'text/html', body: '<p>' }] }),
    await keepShot(Buffer.from('not a picture')),
    await keepShot(whole.subarray(0, 2_000)),
    await keepShot(hostile),
    await keepShot(Buffer.alloc(0)),
    'ffffffff-ffff-7fff-8fff-ffffffffffff',
  ];
  for (const id of none) expect(await bench.replay.thumbnail(id)).toBeUndefined();
  // The bench goes on.
  expect(await bench.replay.thumbnail(await keepShot(whole))).toBeDefined();
});
