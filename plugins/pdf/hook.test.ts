import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench, openPage } from '../../tests/helpers/hook-bench.ts';
import { startAnswers, type Answers } from '../../tests/helpers/answers.ts';
import { readPdf } from '../../tests/helpers/pdf.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const hook = 'pdf/on_Snapshot__52_pdf';

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

const copy = `<!doctype html><html><head><title>Kept</title></head><body>
  <h1>What the member saw</h1><a href="next">the next page</a>
  <iframe srcdoc="<p>in the frame</p>"></iframe>
  <div><template shadowrootmode="open"><p>in the shadow</p></template></div>
  <img src="SITE/picture.png"><img src="LOOPBACK/picture.png"><link rel="stylesheet" href="/style.css"><script src="/script.js"></script>
  <script>document.body.append("scripts ran")</script>
  <iframe src="/inner"></iframe><video src="/video.mp4"></video></body></html>`;

it('prints the kept copy with the network refused and links that lead to the site', async () => {
  const bench = hookBench(await browser.offline());
  const url = answers.url('/members/page');
  bench.give(
    'singlefile/singlefile.html',
    copy.replace('SITE', answers.url('')).replace('LOOPBACK', `http://127.0.0.1:${answers.port}`),
  );
  const { process, record } = await bench.run(hook, url);
  expect(process.stderr).toBe('');
  expect(record).toMatchObject({
    status: 'succeeded',
    output_str: 'output.pdf',
    output_json: { rendered_from: 'singlefile/singlefile.html' },
  });
  const { holds, links } = readPdf(bench.bytes('pdf/output.pdf'));
  for (const words of ['What the member saw', 'in the frame', 'in the shadow']) expect(holds(words), words).toBe(true);
  expect(holds('scripts ran')).toBe(false);
  expect(links).toContain(answers.url('/members/next'));
  expect(answers.requests).toEqual([]);
  // What the browser asks for its own sake apart, nothing was even tried.
  expect(browser.refused.filter(({ host }) => /localhost$|^127/.test(host))).toEqual([]);
});

it('prints the live tab of a page that the companion fetched', async () => {
  answers.set('/live', (_request, response) => answers.html(response, '<h1>Straight from the site</h1>'));
  const bench = hookBench(await browser.online());
  const url = answers.url('/live');
  const { tab } = await openPage(bench, url, {});
  bench.give('singlefile/singlefile.html', '<h1>A copy</h1>');
  const { record } = await bench.run(hook, url);
  await tab.end();
  expect(record?.output_json).toEqual({ rendered_from: null });
  expect(readPdf(bench.bytes('pdf/output.pdf')).holds('Straight from the site')).toBe(true);
});

it('fails in one sentence with nothing to print, and without a browser', async () => {
  const bench = hookBench(await browser.offline());
  const nothing = await bench.run(hook, 'https://example.org/');
  expect([nothing.process.exitCode, nothing.record?.output_str]).toEqual([
    1,
    expect.stringContaining('neither a copy of the page nor a tab'),
  ]);
  const alone = hookBench();
  alone.give('singlefile/singlefile.html', '<p>copy</p>');
  const { process, record } = await alone.run(hook, 'https://example.org/');
  expect([process.exitCode, record?.output_str]).toEqual([
    1,
    expect.stringContaining('there is no browser to work with'),
  ]);
});
