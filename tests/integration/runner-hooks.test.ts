import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { Digest } from '../../shared/digest/digest.ts';
import { folderFacts } from '../../companion/collection/links.ts';
import { receiptsOfCrawl } from '../../companion/collection/records/crawl-progress.ts';
import { tagsOfSnapshots } from '../../companion/collection/records/tags.ts';
import { runnerBench, type RunnerBench } from '../helpers/runner-bench.ts';

async function archive(bench: RunnerBench, plugins: readonly string[], url = 'http://one.example/') {
  const crawl = await bench.submit([url], plugins);
  await bench.work();
  return { crawl: bench.crawl(crawl.id), snapshot: bench.snapshots(crawl.id)[0]! };
}

it('turns a submitted text into sealed snapshots with outputs on disk, in rows and in the index files', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit(
    ['# mine', 'http://one.example/', 'file:///etc/passwd', 'http://one.example/'],
    ['ok', 'sibling'],
  );
  await bench.work();
  expect(bench.crawl(crawl.id)).toMatchObject({ status: 'sealed', due_at: null, input_done: 1, input_records: 3 });
  const [snapshot, ...others] = bench.snapshots(crawl.id);
  expect(others).toEqual([]);
  expect(snapshot).toMatchObject({
    status: 'sealed',
    due_at: null,
    lease_owner: null,
    index_stale: 0,
    url: 'http://one.example/',
  });
  expect(receiptsOfCrawl(bench.collection.db, crawl.id).map((receipt) => receipt.bucket)).toEqual([
    'created',
    'skipped',
    'merged',
  ]);
  expect(bench.result(snapshot!.id, 'ok')).toMatchObject({
    status: 'succeeded',
    output_str: 'ok.txt',
    origin: 'fetched',
    error: null,
  });
  expect(bench.result(snapshot!.id, 'hashes').status).toBe('succeeded');
  expect(tagsOfSnapshots(bench.collection.db, [snapshot!.id]).get(snapshot!.id)).toEqual(['from a hook']);

  const folder = bench.collection.layout.snapshot(folderFacts(bench.collection, snapshot!));
  expect(fs.readFileSync(path.join(folder, 'ok', 'ok.txt'), 'utf8')).toBe('kept from --url=http://one.example/\n');
  expect(fs.readFileSync(path.join(folder, 'sibling', 'seen.txt'), 'utf8')).toBe(
    'kept from --url=http://one.example/\n',
  );
  const [output] = bench.outputs(snapshot!.id, 'ok');
  expect(fs.statSync(path.join(folder, 'ok', 'ok.txt')).ino).toBe(
    fs.statSync(bench.collection.layout.blob(output!.digest as Digest)).ino,
  );
  execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'manifest-sha256.txt'], { cwd: folder });
  const lines = fs
    .readFileSync(path.join(folder, 'index.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const told = lines.filter((line) => line['type'] !== 'Row');
  expect(told.map((line) => line['type'])).toEqual([
    'Snapshot',
    'ArchiveResult',
    'ArchiveResult',
    'ArchiveResult',
    'Crawl',
  ]);
  expect(lines[0]).toMatchObject({
    id: snapshot!.id,
    status: 'sealed',
    url: 'http://one.example/',
    tags: ['from a hook'],
  });
  expect(fs.readFileSync(path.join(folder, 'index.html'), 'utf8')).toContain('<a href="ok/ok.txt">ok.txt</a>');
  expect(fs.readdirSync(bench.collection.layout.runs())).toEqual([]);
});

it('records why a hook failed and keeps nothing of it', async () => {
  const bench = await runnerBench();
  const { snapshot } = await archive(bench, ['fails', 'ok']);
  expect(snapshot.status).toBe('sealed');
  const failed = bench.result(snapshot.id, 'fails');
  expect(failed).toMatchObject({ status: 'failed', error: 'it ended with exit code 3: the site said no' });
  expect(bench.outputs(snapshot.id, 'fails')).toEqual([]);
  expect(bench.result(snapshot.id, 'ok').status).toBe('succeeded');
});

it('takes exit 0 without a record for no results, whatever else was printed', async () => {
  const bench = await runnerBench();
  const { snapshot } = await archive(bench, ['garbage', 'plain']);
  expect(bench.result(snapshot.id, 'garbage')).toMatchObject({ status: 'noresults', error: null });
  expect(bench.result(snapshot.id, 'plain').status).toBe('noresults');
  expect(bench.outputs(snapshot.id, 'plain').map((output) => output.path)).toEqual(['plain.txt']);
});

it('ends the whole group of a hook at its deadline', async () => {
  const bench = await runnerBench();
  const { snapshot } = await archive(bench, ['forever']);
  expect(bench.result(snapshot.id, 'forever').error).toMatch(/ran longer than 1 s/);
  const pids = fs.readFileSync(path.join(bench.root, 'forever.pids'), 'utf8').trim().split(' ').map(Number);
  expect(pids).toHaveLength(2);
  for (const pid of pids) expect(isRunning(pid)).toBe(false);
  expect(snapshot.status).toBe('sealed');
});

it('lets a background hook listen until the last foreground hook has ended', async () => {
  const bench = await runnerBench();
  const { snapshot } = await archive(bench, ['background', 'ok']);
  expect(bench.result(snapshot.id, 'background')).toMatchObject({ status: 'succeeded', output_str: 'heard.txt' });
  const folder = bench.collection.layout.snapshot(folderFacts(bench.collection, snapshot));
  expect(fs.readFileSync(path.join(folder, 'background', 'heard.txt'), 'utf8')).toContain(
    'ok --url=http://one.example/',
  );
});

it('makes children of found links as deep as the crawl goes, and no deeper', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit(['http://start.example/'], ['links'], {}, 1);
  await bench.work();
  const snapshots = bench.snapshots(crawl.id);
  expect(snapshots.map(({ url, depth, status }) => [url, depth, status])).toEqual([
    ['http://start.example/', 0, 'sealed'],
    ['http://links.example/two', 1, 'sealed'],
    ['http://links.example/one', 1, 'sealed'],
  ]);
  expect(snapshots[2]).toMatchObject({ parent_snapshot_id: snapshots[0]!.id, title: 'One', title_origin: 'hook' });
  expect(bench.crawl(crawl.id).status).toBe('sealed');
});

it('seals a crawl whose text holds nothing that can be kept, and says so', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit(['file:///etc/passwd', 'http://10.0.0.1/'], ['ok']);
  await bench.work();
  expect(bench.crawl(crawl.id)).toMatchObject({ status: 'sealed', stop_reason: 'no_viable_urls' });
  expect(receiptsOfCrawl(bench.collection.db, crawl.id).map((receipt) => receipt.reason)).toEqual([
    expect.stringContaining('file:'),
    expect.stringContaining('private network'),
  ]);
});

it('runs no hook for a crawl that is only to be indexed', async () => {
  const bench = await runnerBench();
  const crawl = await bench.submit(['http://one.example/'], ['ok'], { INDEX_ONLY: true });
  await bench.work();
  expect(bench.snapshots(crawl.id)[0]!.status).toBe('sealed');
  expect(bench.results(bench.snapshots(crawl.id)[0]!.id)).toEqual([]);
});

function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/stat`;
  return fs.existsSync(status) && !/\) [ZX] /.test(fs.readFileSync(status, 'utf8'));
}
