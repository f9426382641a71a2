import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { presentSnapshots } from '../../companion/collection/records/present.ts';
import { receiptsOfCrawl } from '../../companion/collection/records/crawl-progress.ts';
import { requestPlugins } from '../../companion/collection/records/requests.ts';
import { submitCrawl } from '../../companion/collection/submit-crawl.ts';
import { RunnerSeat } from '../../companion/runner/runner-seat.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runnerBench, type RunnerBench } from '../helpers/runner-bench.ts';

const start = 'http://start.example/';
const links = ['http://links.example/two', 'http://links.example/one'];

function outcomes(bench: RunnerBench, crawlId: string): unknown[] {
  return bench
    .snapshots(crawlId)
    .map(({ id, url, depth, status, stop_reason }) => [url, depth, status, stop_reason, bench.results(id).length > 0]);
}

function sentenceOf(bench: RunnerBench, crawlId: string, url: string): string {
  const row = bench.snapshots(crawlId).find((snapshot) => snapshot.url === url)!;
  return presentSnapshots(bench.collection, [row], { withResults: true })[0]!.state_sentence;
}

it('lets depth 0 finish when the time is over, and seals what waits deeper without running it', async () => {
  const bench = await runnerBench();
  // The hour passes in the moment in which the links were found.
  bench.collection.db.raw(`CREATE TEMP TRIGGER an_hour_later AFTER INSERT ON snapshot WHEN NEW.depth = 1 BEGIN
    UPDATE crawl SET first_run_at = first_run_at - 3600000 WHERE id = NEW.crawl_id; END`);
  const crawl = await bench.submit([start], ['links', 'ok'], { CRAWL_TIMEOUT: 3600 }, 2);
  await bench.work();
  expect(outcomes(bench, crawl.id)).toEqual([
    [start, 0, 'sealed', null, true],
    ...links.map((url) => [url, 1, 'sealed', 'crawl_timeout', false]),
  ]);
  expect(bench.crawl(crawl.id)).toMatchObject({ status: 'sealed', stop_reason: 'crawl_timeout' });
  expect(sentenceOf(bench, crawl.id, links[0]!)).toBe('Not fetched: the time of the crawl was over.');
});

it('makes no children once the size is reached, but runs every submitted address', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit([start, 'http://second.example/'], ['links', 'ok'], { CRAWL_MAX_SIZE: '10b' }, 1);
  await bench.work();
  expect(outcomes(bench, crawl.id)).toEqual([
    [start, 0, 'sealed', null, true],
    ['http://second.example/', 0, 'sealed', null, true],
  ]);
  expect(bench.crawl(crawl.id).status).toBe('sealed');
});

it('counts submitted and found addresses together, each once', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit([start, start, 'http://links.example/two'], ['links'], { CRAWL_MAX_URLS: 3 }, 1);
  await bench.work();
  expect(bench.snapshots(crawl.id).map(({ url }) => url)).toEqual([start, ...links]);
  expect(bench.crawl(crawl.id)).toMatchObject({ status: 'sealed', stop_reason: null });

  const less = await bench.submit([start, 'http://b.example/', 'http://c.example/'], ['links'], { CRAWL_MAX_URLS: 2 });
  await bench.work();
  expect(bench.snapshots(less.id).map(({ url }) => url)).toEqual([start, 'http://b.example/']);
  expect(bench.crawl(less.id)).toMatchObject({ status: 'sealed', stop_reason: 'crawl_max_urls' });
  expect(receiptsOfCrawl(bench.collection.db, less.id).map(({ bucket }) => bucket)).toEqual([
    'created',
    'created',
    'skipped',
  ]);
});

it('begins no further step of a page that has used up its size, except one that is asked for by name', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit([start], ['ok', 'plain'], { SNAPSHOT_MAX_SIZE: 10 });
  await bench.work();
  const [snapshot] = bench.snapshots(crawl.id);
  expect(snapshot).toMatchObject({ status: 'sealed', stop_reason: 'snapshot_max_size' });
  expect(bench.result(snapshot!.id, 'plain')).toMatchObject({
    status: 'skipped',
    output_str: 'the page had reached its size limit (SNAPSHOT_MAX_SIZE)',
  });
  expect(sentenceOf(bench, crawl.id, start)).toContain('The rest was left out: the page had reached its size.');
  const { db } = bench.collection;
  await db.write(() => requestPlugins(db, snapshot!.id, ['plain'], Date.now()));
  await bench.work();
  expect(bench.outputs(snapshot!.id, 'plain').map((output) => output.path)).toEqual(['plain.txt']);
});

it('keeps only new addresses when told to: an old one is named in the receipt, and one with nothing else says so', async () => {
  const bench = await runnerBench();
  const first = await bench.submit([start], ['ok']);
  await bench.work();
  const second = await bench.submit([start, 'http://new.example/'], ['links'], { ONLY_NEW: true }, 1);
  const third = await bench.submit([start], ['ok'], { ONLY_NEW: true });
  await bench.work();
  expect(bench.snapshots(second.id).map(({ url }) => url)).toEqual(['http://new.example/', ...links]);
  expect(receiptsOfCrawl(bench.collection.db, second.id)[0]).toMatchObject({
    bucket: 'already_there',
    snapshot_id: bench.snapshots(first.id)[0]!.id,
  });
  expect(bench.crawl(third.id)).toMatchObject({ status: 'sealed', stop_reason: 'no_viable_urls' });
});

it('checks submitted and found addresses against the lists of the crawl', async () => {
  const bench = await runnerBench();
  const lists = { URL_ALLOWLIST: 'start.example\nlinks.example', URL_DENYLIST: '/one$' };
  const crawl = await bench.submit([start, 'http://other.example/'], ['links'], lists, 1);
  await bench.work();
  expect(bench.snapshots(crawl.id).map(({ url }) => url)).toEqual([start, links[0]]);
  expect(receiptsOfCrawl(bench.collection.db, crawl.id)[1]).toMatchObject({
    bucket: 'skipped',
    reason: 'http://other.example/ is not on the list of allowed ones',
  });
});

it('refuses a file and a private address that were written into the text of a crawl by hand', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit(['http://harmless.example/'], ['ok']);
  const { collection } = bench;
  const text =
    'file:///etc/passwd\nhttp://169.254.169.254/latest\n{"url":"http://127.0.0.1:1/"}\nhttp://good.example/\n';
  const input = await collection.gate.promoteBytes(Buffer.from(text));
  collection.db.raw('UPDATE crawl SET input = :digest WHERE id = :id', { digest: input.digest, id: crawl.id });
  await bench.work();
  expect(bench.snapshots(crawl.id).map(({ url }) => url)).toEqual(['http://good.example/']);
  const refused = receiptsOfCrawl(collection.db, crawl.id).filter(({ bucket }) => bucket === 'skipped');
  expect(refused.map(({ url }) => url)).toEqual([
    'file:///etc/passwd',
    'http://169.254.169.254/latest',
    'http://127.0.0.1:1/',
  ]);
  for (const { reason } of refused) expect(reason).not.toBe('');
});

it('makes no crawl of a text without a letter', async () => {
  const bench = await runnerBench();
  const crawl = { text: ' \n\t', config: {}, maxDepth: 0, tags: [], label: '', permissions: 'private' as const };
  await expect(submitCrawl(bench.collection, crawl)).rejects.toThrow('There is no address to keep');
  expect(bench.collection.db.raw('SELECT id FROM crawl')).toEqual([]);
});

it('works on no more snapshots of a crawl at once than the crawl itself allows', async () => {
  const bench = await runnerBench();
  const urls = ['http://a.example/', 'http://b.example/', 'http://c.example/'];
  const crawl = await bench.submit(urls, ['slow'], { CRAWL_MAX_CONCURRENT_SNAPSHOTS: 1 });
  const done = bench.work();
  const pids = (): string[] => fs.readFileSync(path.join(bench.root, 'slow.pids'), 'utf8').trim().split('\n');
  await bench.until('a slow hook runs', () => fs.existsSync(path.join(bench.root, 'slow.pids')));
  const other = await bench.submit(['http://other.example/'], ['ok']);
  await bench.until('a crawl beside it is done', () => bench.crawl(other.id).status === 'sealed');
  expect(pids()).toHaveLength(1);
  expect(bench.snapshots(crawl.id).map(({ status }) => status)).toEqual(['started', 'queued', 'queued']);
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await done;
  expect(pids()).toHaveLength(3);
  expect(bench.crawl(crawl.id).status).toBe('sealed');
});

it('freezes limits into a crawl from the settings and from the command line, and shows in lists what stopped a page', async () => {
  const bench = await runnerBench();
  const seat = await RunnerSeat.register(bench.collection);
  await seat.take(false);
  fs.writeFileSync(bench.collection.layout.settings(), 'CRAWL_TIMEOUT = 90\nCRAWL_MAX_URLS = 7\n');
  const options = ['--max-urls', '5', '--snapshot-max-size', '1 KiB', '--url-denylist', 'a.example', '--only-new'];
  const added = await runCli(bench.root, ['add', '--bg', ...options, 'http://b.example/']);
  expect(added.code).toBe(0);
  await seat.leave();
  expect(JSON.parse(bench.crawl(added.lines[0]!).config)).toMatchObject({
    CRAWL_TIMEOUT: 90,
    CRAWL_MAX_URLS: 5,
    SNAPSHOT_MAX_SIZE: '1 KiB',
    URL_DENYLIST: 'a.example',
    ONLY_NEW: true,
  });
  const wrong = await runCli(bench.root, ['add', '--max-size', 'much', 'http://b.example/']);
  expect([wrong.code, wrong.stderr]).toEqual([2, '--max-size takes bytes or a size such as 500mb, not "much".\n']);
  const crawl = await bench.submit(['http://b.example/'], ['ok']);
  await bench.work({ crawlId: crawl.id });
  bench.collection.db.raw(`UPDATE snapshot SET stop_reason = 'crawl_timeout' WHERE crawl_id = '${crawl.id}'`);
  const listed = await runCli(bench.root, ['list', '--csv', 'url,stop_reason']);
  expect(listed.lines).toEqual(['url,stop_reason', 'http://b.example/,crawl_timeout']);
});
