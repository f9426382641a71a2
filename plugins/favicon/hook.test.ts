import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench, openPage } from '../../tests/helpers/hook-bench.ts';
import { startAnswers, type Answers } from '../../tests/helpers/answers.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const hook = 'favicon/on_Snapshot__37_favicon.finite.bg';
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

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

async function fetchIcon(page: string) {
  const bench = hookBench(await browser.online());
  const { tab } = await openPage(bench, answers.url(page), {});
  const end = await bench.run(hook, answers.url(page));
  await tab.end();
  return { bench, end };
}

it('takes the icon out of the copy of a page from the browser and asks nobody', async () => {
  const bench = hookBench({ SNAPSHOT_SOURCE: 'browser', http_proxy: 'http://127.0.0.1:9' });
  bench.give(
    'singlefile/singlefile.html',
    `<link rel="shortcut icon" href="data:image/png;base64,${picture.toString('base64')}">`,
  );
  const { record, process } = await bench.run(hook, 'https://example.org/');
  expect(record).toMatchObject({ status: 'succeeded', output_json: { source: 'from the copy' } });
  expect(process.stdout.split('\n')[0]).toBe('ready');
  expect(bench.bytes('favicon/favicon.ico')).toEqual(picture);
});

it('finds none in a copy without one', async () => {
  const bench = hookBench({ SNAPSHOT_SOURCE: 'browser' });
  bench.give(
    'singlefile/singlefile.html',
    '<link rel="icon" href="data:text/html,<p>no picture</p>"><link rel="icon" href="/favicon.ico">',
  );
  const { process, record } = await bench.run(hook, 'https://example.org/');
  expect([process.exitCode, record?.status, bench.has('favicon/favicon.ico')]).toEqual([0, 'noresults', false]);
});

it('fetches the one the page names, or the one at the usual place, when the companion fetches the page', async () => {
  answers.set('/icon.png', (_request, response) => response.end(picture));
  answers.set('/moved.png', (_request, response) => response.writeHead(302, { Location: '/icon.png' }).end());
  answers.set('/named', (_request, response) =>
    answers.html(response, '<link rel="icon" href="/broken.png"><link rel="icon" href="/moved.png">'),
  );
  const named = await fetchIcon('/named');
  expect(named.end.record?.output_json).toEqual({ source: answers.url('/moved.png') });
  expect(named.bench.bytes('favicon/favicon.ico')).toEqual(picture);

  answers.set('/favicon.ico', (_request, response) => response.end(picture));
  answers.set('/plain', (_request, response) => answers.html(response, '<p>plain</p>'));
  expect((await fetchIcon('/plain')).end.record?.output_json).toEqual({ source: answers.url('/favicon.ico') });

  answers.set('/favicon.ico', (_request, response) => answers.html(response, 'a page in place of an icon'));
  expect((await fetchIcon('/plain')).end.record).toMatchObject({
    status: 'noresults',
    output_str: 'the site has no icon',
  });
});

it('goes to a private address for no page', async () => {
  answers.set('/trap', (_request, response) =>
    answers.html(response, `<link rel="icon" href="http://127.0.0.1:${answers.port}/secret.ico">`),
  );
  const { end } = await fetchIcon('/trap');
  expect(end.process.stderr).toContain('127.0.0.1 belongs to this machine');
  expect(answers.requests).not.toContain('/secret.ico');
});

it('never goes out without a proxy', async () => {
  const bench = hookBench(await browser.online());
  answers.set('/plain', (_request, response) => answers.html(response, '<p>plain</p>'));
  const { tab } = await openPage(bench, answers.url('/plain'), {});
  const before = answers.requests.length;
  const { process } = await bench.run(hook, answers.url('/plain'), { http_proxy: '', HTTP_PROXY: '' });
  await tab.end();
  expect(process.stderr).toContain('there is no proxy to fetch through');
  expect(answers.requests).toHaveLength(before);
});
