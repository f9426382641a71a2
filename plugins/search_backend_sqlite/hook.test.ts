import { expect, it } from 'vitest';
import { hookBench } from '../../tests/helpers/hook-bench.ts';

const hook = 'search_backend_sqlite/on_Snapshot__90_index_sqlite';
const url = 'https://example.org/';

it('leaves the widest text there is for the index', async () => {
  const bench = hookBench();
  bench.give('dom/output.html', '<p>from the copy</p>');
  await bench.run(hook, url);
  expect(bench.read('search_backend_sqlite/content.txt')).toBe('from the copy\n');
  bench.give('readability/content.txt', 'the article\n');
  await bench.run(hook, url);
  expect(bench.read('search_backend_sqlite/content.txt')).toBe('the article\n');
  bench.give('htmltotext/htmltotext.txt', 'everything\n');
  const { record } = await bench.run(hook, url);
  expect(record).toMatchObject({ status: 'succeeded', output_str: 'content.txt', output_json: { characters: 11 } });
  expect(bench.read('search_backend_sqlite/content.txt')).toBe('everything\n');
});

it('says that there is no text, and wants an address', async () => {
  const bench = hookBench();
  bench.give('htmltotext/htmltotext.txt', '  \n');
  const { process, record } = await bench.run(hook, url);
  expect([process.exitCode, record?.status]).toEqual([0, 'noresults']);
  expect((await bench.run(hook, 'nonsense')).process.exitCode).toBe(2);
});
