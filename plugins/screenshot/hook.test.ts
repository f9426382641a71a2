import { PNG } from 'pngjs';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench, openPage } from '../../tests/helpers/hook-bench.ts';
import { startAnswers, type Answers } from '../../tests/helpers/answers.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const hook = 'screenshot/on_Snapshot__51_screenshot';

let answers: Answers;
let browser: BrowserBench;
beforeAll(async () => {
  answers = await startAnswers();
  browser = await browserBench();
});
afterAll(async () => {
  await browser.close();
  await answers.stop();
});

function colorAt(png: PNG, x: number, y: number): string {
  return png.data.subarray((y * png.width + x) * 4, (y * png.width + x) * 4 + 3).toString('hex');
}

it('shows the whole page in pictures of at most 32 000 pixels', async () => {
  const stripes = Array.from(
    { length: 33 },
    (_, index) => `<div style="height:1000px;background:#${index % 2 ? '00ff00' : '0000ff'}"></div>`,
  );
  answers.set('/tall', (_request, response) => answers.html(response, `<body style="margin:0">${stripes.join('')}`));
  const bench = hookBench(await browser.online());
  const { tab } = await openPage(bench, answers.url('/tall'), {});
  const { record } = await bench.run(hook, answers.url('/tall'));
  await tab.end();
  expect(record).toMatchObject({
    status: 'succeeded',
    output_str: 'screenshot.png',
    output_json: { width: 1440, height: 33_000, pictures: 2, missing: 0, rendered_from: null },
  });
  const first = PNG.sync.read(bench.bytes('screenshot/screenshot.png'));
  const second = PNG.sync.read(bench.bytes('screenshot/screenshot-1.png'));
  expect([first.width, first.height, second.width, second.height]).toEqual([1440, 32_000, 1440, 1000]);
  expect([
    colorAt(first, 700, 500),
    colorAt(first, 700, 1500),
    colorAt(first, 700, 31_500),
    colorAt(second, 700, 500),
  ]).toEqual(['0000ff', '00ff00', '00ff00', '0000ff']);
});

it('draws the kept copy when the browser delivered no picture, and says so', async () => {
  const bench = hookBench(await browser.offline());
  bench.give(
    'singlefile/singlefile.html',
    `<body style="margin:0;background:#ff0000"><div style="height:3000px"></div>
     <img src="${answers.url('/pixel.png')}"><script>document.body.style.background = 'green'</script>`,
  );
  const { record } = await bench.run(hook, answers.url('/blue'));
  expect(record).toMatchObject({ status: 'succeeded', output_json: { rendered_from: 'singlefile/singlefile.html' } });
  expect(record?.output_str).toContain('rendered by the companion from the copy');
  const png = PNG.sync.read(bench.bytes('screenshot/screenshot.png'));
  expect(png.height).toBeGreaterThanOrEqual(3000);
  expect([colorAt(png, 10, 10), colorAt(png, 10, 2900)]).toEqual(['ff0000', 'ff0000']);
  expect(answers.requests).not.toContain('/pixel.png');
  expect(answers.requests).not.toContain('/blue');
});

it('fails in one sentence with nothing to show', async () => {
  const { process, record } = await hookBench(await browser.offline()).run(hook, 'https://example.org/');
  expect([process.exitCode, record?.output_str]).toEqual([
    1,
    expect.stringContaining('neither a copy of the page nor a tab'),
  ]);
});
