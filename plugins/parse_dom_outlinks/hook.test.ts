import { expect, it } from 'vitest';
import { hookBench } from '../../tests/helpers/hook-bench.ts';

const hook = 'parse_dom_outlinks/on_Snapshot__75_parse_dom_outlinks';

it('lists every web address once, against base, frames and shadow roots included', async () => {
  const bench = hookBench();
  bench.give(
    'singlefile/singlefile.html',
    `<base href="/dir/"><a href="one"> The  first </a><a href="one#part">again</a><a href="page#top">top</a>
     <a href="https://Other.example:443/x?q=1"><img alt="pic"></a><a href="mailto:a@b.c">mail</a><a href="javascript:void 0">js</a>
     <a href="http://">broken</a><map><area href="/area"></map><a href="//cdn.example/y">y<style>p{}</style></a>
     <iframe srcdoc="<a href='two'>in frame</a>"></iframe>
     <div><template shadowrootmode="closed"><a href="three">in shadow</a></template></div><template><a href="never">no</a></template>
     <a href="https://example.org/page?v=2">the page itself</a>`,
  );
  const { record } = await bench.run(hook, 'https://example.org/page?v=2#x');
  expect(record).toMatchObject({ status: 'succeeded', output_str: '7 links', output_json: { links: 7 } });
  const lines = bench
    .read('parse_dom_outlinks/urls.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ type, plugin }) => [type, plugin])).toEqual(lines.map(() => ['Snapshot', 'parse_dom_outlinks']));
  expect(lines.map(({ url, title }) => [url, title])).toEqual([
    ['https://example.org/dir/one', 'The first'],
    ['https://example.org/dir/page', 'top'],
    ['https://other.example/x?q=1', undefined],
    ['https://example.org/area', undefined],
    ['https://cdn.example/y', 'y'],
    ['https://example.org/dir/two', 'in frame'],
    ['https://example.org/dir/three', 'in shadow'],
  ]);
});

it('replaces an older list by an empty one when the page links to nothing', async () => {
  const bench = hookBench();
  bench.give('parse_dom_outlinks/urls.jsonl', '{"type":"Snapshot","url":"https://old.example/"}\n');
  bench.give('dom/output.html', '<p>alone</p>');
  const { process, record } = await bench.run(hook, 'https://example.org/');
  expect([process.exitCode, record?.status]).toEqual([0, 'noresults']);
  expect(bench.read('parse_dom_outlinks/urls.jsonl')).toBe('');
});

it('fails in one sentence without a copy', async () => {
  const { process, record } = await hookBench().run(hook, 'https://example.org/');
  expect([process.exitCode, record?.output_str]).toEqual([1, expect.stringContaining('no copy of the page')]);
});
