import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench } from '../../tests/helpers/hook-bench.ts';
import { startAnswers, type Answers } from '../../tests/helpers/answers.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const hook = 'headers/on_Snapshot__27_headers.daemon.bg';

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

async function visit(url: string) {
  const bench = hookBench(await browser.online());
  const tab = await bench.start('chrome/on_Snapshot__01_chrome_tab.daemon.bg', url);
  const headers = await bench.start(hook, url);
  await bench.run('chrome/on_Snapshot__30_chrome_navigate', url);
  const end = await headers.end();
  await tab.end();
  return { bench, end };
}

it('keeps the headers of the page and of the redirect before it, not those of frames', async () => {
  answers.set('/from', (_request, response) => response.writeHead(301, { Location: '/to', 'X-Step': 'one' }).end());
  answers.set('/to', (_request, response) => {
    response.setHeader('X-Step', 'two');
    answers.html(response, '<iframe src="/frame"></iframe>');
  });
  answers.set('/frame', (_request, response) => answers.html(response, 'frame'));
  const { bench, end } = await visit(answers.url('/from'));
  expect([end.process.exitCode, end.record?.status]).toEqual([0, 'succeeded']);
  const kept = JSON.parse(bench.read('headers/headers.json'));
  expect(kept).toMatchObject({ url: answers.url('/to'), status: 200, headers: { 'X-Step': 'two' } });
  expect(kept.answers.map((one: { url: string; status: number }) => [one.url, one.status])).toEqual([
    [answers.url('/from'), 301],
    [answers.url('/to'), 200],
  ]);
});

it('says that there was no answer, and that there is no tab', async () => {
  const { end } = await visit('https://nowhere.invalid/');
  expect([end.process.exitCode, end.record?.status]).toEqual([0, 'noresults']);
  const { process, record } = await hookBench(await browser.online()).run(hook, answers.url('/'));
  expect([process.exitCode, record?.output_str]).toEqual([1, expect.stringContaining('the browser has no tab')]);
});
