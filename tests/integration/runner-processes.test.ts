import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { findActiveRunner, runningProcesses } from '../../companion/collection/records/processes.ts';
import { processStartTime } from '../../companion/process/process-identity.ts';
import { superviseRunner } from '../../companion/runner/supervise-runner.ts';
import { workUntilDone } from '../../companion/runner/start-runner.ts';
import { holdfast, processBench, slowPids } from '../helpers/process-bench.ts';

it('goes on after a runner was killed in the middle of a hook: everything sealed, each step recorded once', async () => {
  const bench = await processBench();
  const { db } = bench.collection;
  const crawl = await bench.submit(['http://one.example/'], ['ok', 'slow']);
  const child = holdfast(bench, 'run');
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  const [orphan] = slowPids(bench);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(processStartTime(orphan!)).toBeDefined();

  const done = bench.work();
  await bench.until('the slow hook runs again', () => slowPids(bench).length === 2);
  expect(processStartTime(orphan!)).toBeUndefined();
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await done;
  const [snapshot] = bench.snapshots(crawl.id);
  expect(bench.crawl(crawl.id).status).toBe('sealed');
  expect(snapshot).toMatchObject({ status: 'sealed', lease_generation: 2 });
  const results = bench.results(snapshot!.id).map(({ plugin, status }) => [plugin, status]);
  expect(results).toEqual([
    ['ok', 'succeeded'],
    ['slow', 'succeeded'],
    ['hashes', 'succeeded'],
  ]);
  expect(fs.readFileSync(path.join(bench.root, 'ok.runs'), 'utf8')).toBe('ok --url=http://one.example/\n');
  expect(runningProcesses(db, bench.collection.machineId, 'hook')).toEqual([]);
  expect(fs.readdirSync(bench.collection.layout.runs())).toEqual([]);
});

it('watches a healthy runner instead of working beside it, and goes on when that one dies', async () => {
  const bench = await processBench();
  const { db, machineId } = bench.collection;
  const crawl = await bench.submit(['http://one.example/'], ['slow']);
  const child = holdfast(bench, 'run', '--daemon');
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  expect(findActiveRunner(db, machineId)?.pid).toBe(child.pid);

  const said: string[] = [];
  const work = workUntilDone(
    {
      collection: bench.collection,
      createContext: async () => bench.context,
      scope: { crawlId: crawl.id },
      daemon: false,
      takeOver: false,
      concurrencyMax: () => 4,
      onStandBy: (sentence) => said.push(sentence),
    },
    new AbortController().signal,
  );
  await bench.until('it says who works', () => said.length > 0);
  expect(said).toEqual([`Process ${child.pid} is working on this collection already; watching it.`]);
  expect(slowPids(bench)).toHaveLength(1);
  child.kill('SIGKILL');
  await bench.until('the watcher has taken over', () => slowPids(bench).length === 2);
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await work;
  expect(bench.crawl(crawl.id).status).toBe('sealed');
});

it('ends politely on TERM: the hook is ended, its snapshot free, and the exit code names the signal', async () => {
  const bench = await processBench();
  const crawl = await bench.submit(['http://one.example/'], ['slow']);
  const child = holdfast(bench, 'run', '--daemon');
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(143);
  expect(processStartTime(slowPids(bench)[0]!)).toBeUndefined();
  expect(bench.snapshots(crawl.id)[0]).toMatchObject({ status: 'started', lease_owner: null });
  expect(runningProcesses(bench.collection.db, bench.collection.machineId, 'runner')).toEqual([]);
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await bench.work();
  expect(bench.snapshots(crawl.id)[0]!.status).toBe('sealed');
});

it('takes over from a healthy runner when told to', async () => {
  const bench = await processBench();
  const crawl = await bench.submit(['http://one.example/'], ['slow']);
  const first = holdfast(bench, 'run', '--daemon');
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  const second = holdfast(bench, 'run', '--take-over', '--crawl-id', crawl.id);
  await once(first, 'exit');
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  expect((await once(second, 'exit'))[0]).toBe(0);
  expect(bench.crawl(crawl.id).status).toBe('sealed');
});

it('keeps one runner alive as a child of the server, and ends it with the server', async () => {
  const bench = await processBench();
  const { db, machineId } = bench.collection;
  const supervisor = superviseRunner({ collection: bench.collection, log: bench.context.log });
  await bench.until('a runner is active', () => findActiveRunner(db, machineId) !== undefined);
  const first = findActiveRunner(db, machineId)!.pid;
  const crawl = await bench.submit(['http://one.example/'], ['ok']);
  await bench.until('the crawl is sealed', () => bench.crawl(crawl.id).status === 'sealed');
  process.kill(first, 'SIGKILL');
  await bench.until('another runner is active', () => (findActiveRunner(db, machineId)?.pid ?? first) !== first);
  const second = findActiveRunner(db, machineId)!.pid;
  await supervisor.stop();
  expect(processStartTime(second)).toBeUndefined();
  expect(findActiveRunner(db, machineId)).toBeUndefined();
});

it('adds in the background: returns at once, and a runner that outlives the command does the work and ends', async () => {
  const bench = await processBench();
  const { db, machineId } = bench.collection;
  const added = holdfast(bench, 'add', '--bg', '--plugins', 'slow', 'http://one.example/');
  expect((await once(added, 'exit'))[0]).toBe(0);
  const [crawlId = ''] = added.words().split('\n');
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  expect(bench.crawl(crawlId).status).toBe('started');
  expect(findActiveRunner(db, machineId)?.pid).not.toBe(added.pid);
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await bench.until('the runner has ended', () => findActiveRunner(db, machineId) === undefined);
  expect(bench.crawl(crawlId).status).toBe('sealed');
});

it('adds beside a healthy runner: tells what happens, prints where the copy is, starts no second runner', async () => {
  const bench = await processBench();
  const { db, machineId } = bench.collection;
  const daemon = holdfast(bench, 'run', '--daemon');
  await bench.until('a runner is active', () => findActiveRunner(db, machineId)?.pid === daemon.pid);
  const added = holdfast(bench, 'add', '--plugins', 'ok', 'http://one.example/');
  expect((await once(added, 'close'))[0]).toBe(0);
  expect(added.words()).toMatch(/STARTED[^]+ ok +succeeded ok\.txt\n[^]+SEALED {2}http:\/\/one\.example\//);
  const folder = /http:\/\/one\.example\/\t(.+)/.exec(added.words())![1]!;
  expect(fs.readFileSync(path.join(folder, 'ok', 'ok.txt'), 'utf8')).toBe('kept from --url=http://one.example/\n');
  expect(findActiveRunner(db, machineId)?.pid).toBe(daemon.pid);
});

it('refuses a plugin that does not exist before anything is added', async () => {
  const bench = await processBench();
  const added = holdfast(bench, 'add', '--plugins', 'ok,okay', 'http://one.example/');
  expect((await once(added, 'exit'))[0]).toBe(2);
  expect(added.words()).toContain('There is no plugin okay; choose from');
});

it('refuses a scope that does not exist with exit code 1', async () => {
  const bench = await processBench();
  const child = holdfast(bench, 'run', '--crawl-id', '0199e6a1-0000-7000-8000-000000000000');
  expect((await once(child, 'exit'))[0]).toBe(1);
  expect(child.words()).toContain('There is no crawl 0199e6a1-0000-7000-8000-000000000000.');
});

it('notices work that another process submits without being told', async () => {
  const bench = await processBench();
  const stop = new AbortController();
  const done = workUntilDone(
    {
      collection: bench.collection,
      createContext: async () => bench.context,
      scope: {},
      daemon: true,
      takeOver: false,
      concurrencyMax: () => 4,
    },
    stop.signal,
  );
  const other = await openCollection(bench.root);
  const { db } = other;
  const crawl = await bench.submit(['http://one.example/'], ['ok']);
  await bench.until('the crawl is sealed', () => bench.crawl(crawl.id).status === 'sealed');
  // Without the bell: only the look at data_version can tell.
  await db.write(() => db.raw(`UPDATE snapshot SET config = '{"RETRY_PLUGINS":["ok"]}', due_at = 1`));
  await bench.until(
    'ok ran twice',
    () => fs.readFileSync(path.join(bench.root, 'ok.runs'), 'utf8').split('\n').length === 3,
  );
  stop.abort();
  await done;
  other.close();
});
