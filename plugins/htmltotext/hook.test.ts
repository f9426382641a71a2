import { expect, it } from 'vitest';
import { hookBench } from '../../tests/helpers/hook-bench.ts';

const hook = 'htmltotext/on_Snapshot__58_htmltotext';
const url = 'https://example.org/page';

const page = `<!doctype html><html><head><title>Not text</title><style>p{}</style></head><body>
  <h1>First  heading</h1><p>One<b>bold</b>word and<br>a new line.</p><script>hidden()</script>
  <noscript>switch scripts on</noscript>
  <ul><li>apple</li><li>pear</li></ul>
  <table><tr><td>a</td><td>b</td></tr></table>
  <pre>kept
  indent</pre>
  <img src="x" alt="a heron">
  <div><template shadowrootmode="closed"><p>in the shadow</p><div><template shadowrootmode="open">nested shadow</template></div></template></div>
  <template>never shown</template>
  <iframe srcdoc="&lt;p&gt;inside the frame&lt;/p&gt;&lt;iframe srcdoc='&amp;lt;p&amp;gt;frame in frame'&gt;&lt;/iframe&gt;"></iframe>
  <iframe src="data:text/html;charset=utf-8,%3Cp%3Edata%20frame%3C%2Fp%3E"></iframe>
  <p>Ünïcödé 日本語</p></body></html>`;

it('keeps all text of frames and shadow roots in paragraphs, and nothing that is not shown', async () => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', page);
  bench.give('dom/output.html', '<p>the lesser copy</p>');
  const { process, record } = await bench.run(hook, url, { EXTRA_CONTEXT: '{"snapshot_id":"s1"}' });
  expect(process.exitCode).toBe(0);
  expect(record).toMatchObject({ status: 'succeeded', output_str: 'htmltotext.txt', snapshot_id: 's1' });
  expect(bench.read('htmltotext/htmltotext.txt')).toBe(
    [
      'First heading',
      'Oneboldword and\na new line.',
      'apple\npear',
      'a\tb',
      'kept\n  indent',
      'a heron',
      'in the shadow',
      'nested shadow',
      'inside the frame',
      'frame in frame',
      'data frame',
      'Ünïcödé 日本語\n',
    ].join('\n\n'),
  );
});

it('works from the page source when there is no single file', async () => {
  const bench = hookBench();
  bench.give('dom/output.html', '<p>from the dom</p>');
  await bench.run(hook, url);
  expect(bench.read('htmltotext/htmltotext.txt')).toBe('from the dom\n');
});

it('says that a page without text has none', async () => {
  const bench = hookBench();
  bench.give('singlefile/singlefile.html', '<img src="data:,">');
  const { process, record } = await bench.run(hook, url);
  expect([process.exitCode, record?.status]).toEqual([0, 'noresults']);
  expect(bench.has('htmltotext/htmltotext.txt')).toBe(false);
});

it('fails in one sentence without a copy, and without an address', async () => {
  const bench = hookBench();
  const missing = await bench.run(hook, url);
  expect(missing.process.exitCode).toBe(1);
  expect(missing.record).toMatchObject({
    status: 'failed',
    output_str: expect.stringContaining('no copy of the page'),
  });
  const wrong = await bench.run(hook, '');
  expect(wrong.process.exitCode).toBe(2);
  expect(wrong.process.stderr).toContain('usage: --url=');
});
