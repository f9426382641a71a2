import { expect, it } from 'vitest';
import { hookBench } from '../../tests/helpers/hook-bench.ts';

const hook = 'readability/on_Snapshot__56_readability';
const sentence = 'The tide goes out twice a day and leaves the kelp lying on the stones, where it dries at the edges. ';
const article = `<!doctype html><html lang="en"><head><title>What the night has brought</title><meta name="author" content="Ada Shore"></head>
  <body><nav><a href="/a">Menu one</a><a href="/b">Menu two</a></nav><article><h1>What the night has brought</h1>
  ${Array.from({ length: 8 }, (_, index) => `<p>${index + 1}. ${sentence.repeat(4)}<a href="/link${index}">more</a></p>`).join('')}
  <script>tracker()</script></article><footer>Imprint and cookies</footer></body></html>`;

it('finds the article and leaves the rest out', async () => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', article);
  const { process, record } = await bench.run(hook, 'https://example.org/dir/page');
  expect(process.stderr).toBe('');
  expect(record).toMatchObject({
    status: 'succeeded',
    output_str: 'content.html',
    output_json: { title: 'What the night has brought' },
  });
  const html = bench.read('readability/content.html');
  expect(html).toContain('https://example.org/link0');
  expect(html).not.toMatch(/<script|Menu one|Imprint/);
  const text = bench.read('readability/content.txt');
  expect(text).toContain('8. The tide goes out');
  expect(text).not.toMatch(/Menu one|tracker/);
  expect(JSON.parse(bench.read('readability/article.json'))).toMatchObject({
    title: 'What the night has brought',
    byline: 'Ada Shore',
    lang: 'en',
  });
});

it('says that a page without an article has none', async () => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', '<!doctype html><html><body></body></html>');
  const { process, record } = await bench.run(hook, 'https://example.org/');
  expect([process.exitCode, record?.status, bench.has('readability/content.html')]).toEqual([0, 'noresults', false]);
});

it('is not thrown by what is no HTML', async () => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', '\u0000\u0001 just bytes');
  const { process, record } = await bench.run(hook, 'https://example.org/');
  expect(process.exitCode).toBe(record?.status === 'failed' ? 1 : 0);
  expect(record?.output_str).not.toBe('');
});

it('fails in one sentence without a copy', async () => {
  const { process, record } = await hookBench().run(hook, 'https://example.org/');
  expect([process.exitCode, record?.output_str]).toEqual([1, expect.stringContaining('no copy of the page')]);
});
