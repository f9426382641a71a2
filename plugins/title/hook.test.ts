import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench, openPage } from '../../tests/helpers/hook-bench.ts';
import { startAnswers, type Answers } from '../../tests/helpers/answers.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const hook = 'title/on_Snapshot__54_title';
const url = 'https://example.org/';

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

it.each([
  ['<title>\n  Two \n words </title>', 'Two words'],
  ['<title>日本語 &amp; Ünïcödé</title>', '日本語 & Ünïcödé'],
  [
    '<svg><title>a drawing</title></svg><iframe srcdoc="<title>a frame</title>"></iframe><title>the page</title>',
    'the page',
  ],
  [`<title>${'x'.repeat(600)}</title>`, 'x'.repeat(512)],
])('reads it from the copy: %s', async (html, title) => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', html);
  const { record } = await bench.run(hook, url);
  expect(record).toMatchObject({ status: 'succeeded', output_str: title });
  expect(bench.read('title/title.txt')).toBe(`${title}\n`);
});

it('says that a page without a title has none', async () => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', '<svg><title>a drawing</title></svg>');
  const { process, record } = await bench.run(hook, url);
  expect([process.exitCode, record?.status, bench.has('title/title.txt')]).toEqual([0, 'noresults', false]);
});

it('reads it from the live tab, as scripts set it, when there is no copy', async () => {
  answers.set('/', (_request, response) =>
    answers.html(response, '<title>before</title><script>document.title = "after"</script>'),
  );
  const bench = hookBench(await browser.online());
  const { tab } = await openPage(bench, answers.url('/'), {});
  expect((await bench.run(hook, answers.url('/'))).record?.output_str).toBe('after');
  await tab.end();
});

it('fails in one sentence with neither', async () => {
  const { process, record } = await hookBench().run(hook, url);
  expect([process.exitCode, record?.status]).toEqual([1, 'failed']);
  expect(record?.output_str).toContain('was not opened in the browser');
});
