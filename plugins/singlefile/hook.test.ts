import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench, openPage } from '../../tests/helpers/hook-bench.ts';
import { startAnswers, type Answers } from '../../tests/helpers/answers.ts';
import { startSite, type TestSite } from '../../tests/helpers/site.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const hook = 'singlefile/on_Snapshot__50_singlefile';

let site: TestSite;
let answers: Answers;
let browser: BrowserBench;
beforeAll(async () => {
  site = await startSite();
  answers = await startAnswers();
  browser = await browserBench();
});
afterAll(async () => {
  await browser.close();
  await site.stop();
  await answers.stop();
});

async function keep(url: string) {
  const bench = hookBench(await browser.online());
  const { tab } = await openPage(bench, url, {});
  const end = await bench.run(hook, url);
  const text = bench.has('singlefile/singlefile.html')
    ? await bench.run('htmltotext/on_Snapshot__58_htmltotext', url)
    : undefined;
  await tab.end();
  return { bench, end, text: text?.record?.status === 'succeeded' ? bench.read('htmltotext/htmltotext.txt') : '' };
}

it('keeps frames of other origins, nested ones and those written into the page', async () => {
  const { bench, end, text } = await keep(site.a('/frames.html'));
  expect(end.record).toMatchObject({
    status: 'succeeded',
    output_str: 'singlefile.html',
    output_json: { framesSeen: 5, framesReached: 5, framesAsked: 4, framesSilent: [], missing: [], partial: '' },
  });
  for (const words of [
    'The harbour office',
    'The outer frame comes from',
    'The inner frame is back',
    'A note written straight',
  ]) {
    expect(text).toContain(words);
  }
  const html = bench.read('singlefile/singlefile.html');
  expect(html).not.toMatch(/(src|href)="?http:\/\/[ab]\.localhost:\d+\/picture/);
  expect(html).not.toContain('<script');
});

it('keeps open, closed and nested shadow roots with their adopted styles, canvases with their size, typed values', async () => {
  const { bench, text } = await keep(site.a('/shadow.html'));
  for (const words of [
    'The open room has green walls',
    'A closed room inside',
    'The closed room is blue',
    'typed by hand',
  ]) {
    expect(text).toContain(words);
  }
  const html = bench.read('singlefile/singlefile.html').replaceAll(' ', '');
  for (const color of ['#1f5c4a|31,92,74', '#c77d3a|199,125,58', '#2d4f7c|45,79,124']) {
    expect(html).toMatch(new RegExp(color));
  }
  expect(html).toMatch(/<canvas[^>]*style="[^"]*width:322px|<canvas[^>]*style="[^"]*width:320px/);
});

it('keeps lazy pictures, and ones that the page itself may not read', async () => {
  answers.set('/foreign.png', (_request, response) =>
    response
      .writeHead(200, { 'Content-Type': 'image/png', 'X-Answer': 'no cross-origin reading' })
      .end(
        Buffer.from(
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
          'base64',
        ),
      ),
  );
  answers.set('/page', (_request, response) =>
    answers.html(
      response,
      `<title>Pictures</title><img src="http://d.localhost:${answers.port}/foreign.png" alt="foreign"><img src="/missing.png" alt="missing">
       <div style="height:6000px"></div><img loading="lazy" src="${site.b('/picture/40x40/ff0000.png')}" alt="lazy">`,
    ),
  );
  const { bench, end } = await keep(answers.url('/page'));
  const html = bench.read('singlefile/singlefile.html');
  expect(html.match(/data:image\/png;base64,/g)?.length).toBeGreaterThanOrEqual(2);
  expect(html).not.toMatch(/src="?http:\/\/[bd]\.localhost/);
  expect(end.record?.output_json?.['missing']).toEqual([answers.url('/missing.png')]);
});

it('fails in one sentence without a tab and for a page that did not load', async () => {
  const bench = hookBench(await browser.online());
  const none = await bench.run(hook, site.a('/article.html'));
  expect([none.process.exitCode, none.record?.output_str]).toEqual([
    1,
    expect.stringContaining('was not opened in the browser'),
  ]);
  const { end } = await keep('http://nowhere.invalid/');
  expect([end.process.exitCode, end.record?.output_str]).toEqual([
    1,
    expect.stringContaining('the page did not load: nowhere.invalid'),
  ]);
});
