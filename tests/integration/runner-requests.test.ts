import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { claimSnapshot, holdsGeneration, postponeSnapshot } from '../../companion/collection/records/leases.ts';
import { findActiveRunner } from '../../companion/collection/records/processes.ts';
import { presentSnapshots } from '../../companion/collection/records/present.ts';
import { requestCrawl, requestFailed, requestPlugins } from '../../companion/collection/records/requests.ts';
import { processStartTime } from '../../companion/process/process-identity.ts';
import { RunnerSeat } from '../../companion/runner/runner-seat.ts';
import { holdfast, processBench, slowPids } from '../helpers/process-bench.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runnerBench } from '../helpers/runner-bench.ts';

const one = 'http://one.example/';

it('asks exactly the failed plugins to run again, and leaves every result until the new run has ended', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const broken = path.join(bench.root, 'flaky.broken');
  fs.writeFileSync(broken, '');
  const crawl = await bench.submit([one], ['flaky', 'ok']);
  await bench.work();
  const { id } = bench.snapshots(crawl.id)[0]!;
  const before = bench.results(id);
  expect(await db.write(() => requestFailed(db, id, Date.now()))).toEqual(['flaky']);
  expect(bench.results(id)).toEqual(before);
  expect(bench.snapshots(crawl.id)[0]).toMatchObject({ status: 'sealed', config: '{"RETRY_PLUGINS":["flaky"]}' });
  fs.rmSync(broken);
  await bench.work();
  expect(bench.result(id, 'flaky')).toMatchObject({ status: 'succeeded', output_str: 'good.txt' });
  expect(bench.snapshots(crawl.id)[0]).toMatchObject({ status: 'sealed', due_at: null, config: '{}' });
  expect(bench.crawl(crawl.id)).toMatchObject({ status: 'sealed', due_at: null });
  expect(fs.readFileSync(path.join(bench.root, 'ok.runs'), 'utf8').trim().split('\n')).toHaveLength(1);
  expect(await db.write(() => requestFailed(db, id, Date.now()))).toEqual([]);
});

it('queues a paused page that is asked for, and keeps what was asked through the pause of its crawl', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const crawl = await bench.submit([one], ['flaky', 'ok', 'slow']);
  const done = bench.work();
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  await db.write(() => requestCrawl(db, crawl.id, 'pause', Date.now()));
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  bench.collection.bell.ring();
  await done;
  const { id } = bench.snapshots(crawl.id)[0]!;
  await db.write(() => requestPlugins(db, id, ['ok'], Date.now()));
  expect(bench.snapshots(crawl.id)[0]).toMatchObject({ status: 'queued', config: '{"RETRY_PLUGINS":["ok"]}' });
  await bench.work();
  expect(bench.snapshots(crawl.id)[0]).toMatchObject({ status: 'paused', config: '{"RETRY_PLUGINS":["ok"]}' });
  await db.write(() => requestCrawl(db, crawl.id, 'resume', Date.now()));
  await bench.work();
  expect(bench.snapshots(crawl.id)[0]).toMatchObject({ status: 'sealed', due_at: null, config: '{}' });
  expect(fs.readFileSync(path.join(bench.root, 'ok.runs'), 'utf8').trim().split('\n')).toHaveLength(2);
});

it('comes back to a page after an internal error later each time, says why, and forgets it when it is done', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const crawl = await bench.submit([one], ['ok']);
  await bench.work({ crawlId: crawl.id, maintenanceOnly: true });
  expect(bench.snapshots(crawl.id)).toEqual([]);
  await bench.work();
  const { id } = bench.snapshots(crawl.id)[0]!;
  db.raw(`UPDATE snapshot SET status = 'queued', due_at = 1`);
  db.raw(`UPDATE crawl SET status = 'queued', due_at = 1`);
  const seat = await RunnerSeat.register(bench.collection);
  await seat.take(false);
  let now = Date.now();
  const delays: number[] = [];
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    const lease = (await db.write(() => claimSnapshot(db, { id, owner: seat.id, now })))!;
    await db.write(() => postponeSnapshot(db, lease, 'The disk said no.', now));
    const due = bench.snapshots(crawl.id)[0]!.due_at!;
    expect(await db.write(() => claimSnapshot(db, { id, owner: seat.id, now: due - 1 }))).toBeUndefined();
    expect(holdsGeneration(db, lease)).toBe(true);
    delays.push((due - now) / 1000);
    now = due;
  }
  expect(delays).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
  const [shown] = presentSnapshots(bench.collection, bench.snapshots(crawl.id), { withResults: true });
  expect(shown).toMatchObject({ trouble: 'The disk said no.', state_sentence: 'The disk said no. It is tried again.' });
  const status = await runCli(bench.root, ['status', '--json']);
  expect(JSON.parse(status.stdout)).toMatchObject({ pages_in_trouble: 1 });
  db.raw('UPDATE snapshot SET due_at = 1');
  await seat.leave();
  await bench.work();
  expect(bench.snapshots(crawl.id)[0]).toMatchObject({ status: 'sealed', attempts: 0, trouble: null });
});

it('stops scheduling after internal errors, lets siblings finish, and tells all causes once', async () => {
  const bench = await runnerBench();
  const urls = ['http://bad.example/', 'http://slow.example/', 'http://never.example/'];
  const crawl = await bench.submit(urls, ['slow', 'ok']);
  // The run folder of one page cannot be made: nothing a hook did wrong.
  const { layout } = bench.collection;
  const folderOf = layout.snapshotRun.bind(layout);
  const bad = (id: string): boolean => bench.snapshots(crawl.id).find((row) => row.id === id)?.url === urls[0];
  layout.snapshotRun = (id, generation) => (bad(id) ? `${layout.database()}/no-folder` : folderOf(id, generation));
  const done = bench.work();
  done.catch(() => undefined);
  await bench.until('the sibling runs', () => slowPids(bench).length > 0);
  await bench.until('the bad page is put off', () => bench.snapshots(crawl.id)[0]!.attempts === 1);
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await expect(done).rejects.toThrow(/ENOTDIR/);
  const rows = bench.snapshots(crawl.id);
  expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual([
    ['started', 1],
    ['sealed', 0],
    ['queued', 0],
  ]);
  expect(rows[0]!.trouble).toContain('ENOTDIR');
  expect(rows[0]!.due_at! - rows[0]!.modified_at).toBe(10_000);
});

it('pauses, resumes and cancels from the command line, and ends the whole group of what runs', async () => {
  const bench = await processBench();
  const crawl = await bench.submit([one], ['forever']);
  bench.collection.db.raw(`UPDATE crawl SET config = json_set(config, '$.FOREVER_TIMEOUT', 600)`);
  const daemon = holdfast(bench, 'run', '--daemon');
  const pidFile = path.join(bench.root, 'forever.pids');
  await bench.until('the hook runs', () => fs.existsSync(pidFile) && fs.readFileSync(pidFile, 'utf8').includes('\n'));
  const pids = fs.readFileSync(pidFile, 'utf8').trim().split(' ').map(Number);
  const paused = await runCli(bench.root, ['pause', crawl.id]);
  expect([paused.code, paused.stderr]).toEqual([0, `Paused crawl ${crawl.id}.\n`]);
  expect(pids.map((pid) => processStartTime(pid) !== undefined)).toEqual([true, true]);
  const again = await runCli(bench.root, ['pause', crawl.id]);
  expect([again.code, again.stderr]).toEqual([
    1,
    'A paused crawl cannot be paused; only a queued or started one can.\n',
  ]);
  const { id } = bench.snapshots(crawl.id)[0]!;
  expect((await runCli(bench.root, ['cancel', id])).stderr).toBe(`Cancelled page ${one}.\n`);
  await bench.until('both processes are gone', () => pids.every((pid) => processStartTime(pid) === undefined));
  await bench.until('its result is written', () => bench.result(id, 'forever').status === 'failed');
  expect((await runCli(bench.root, ['resume', crawl.id])).code).toBe(0);
  await bench.until('the crawl is sealed', () => bench.crawl(crawl.id).status === 'sealed');
  expect((await runCli(bench.root, ['cancel', '0199e6a1-0000-7000-8000-000000000000'])).code).toBe(1);
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
});

it('runs requested steps only with --maintenance-only, and clears what it finished', async () => {
  const bench = await processBench();
  const kept = await bench.submit([one], ['ok']);
  await bench.work();
  const open = await bench.submit(['http://open.example/'], ['ok']);
  const { id } = bench.snapshots(kept.id)[0]!;
  const extracted = await runCli(bench.root, ['extract', id, '--plugins', 'plain', '--no-wait']);
  expect(extracted.code).toBe(0);
  expect(extracted.stderr).toMatch(/^1 page left to a runner in the background, started now/);
  await bench.until('the background runner is done', () => bench.crawl(open.id).status === 'sealed');
  const { db, machineId } = bench.collection;
  await bench.until('the background runner is gone', () => findActiveRunner(db, machineId) === undefined);
  await db.write(() => requestPlugins(db, id, ['fails'], Date.now()));
  const third = await bench.submit(['http://third.example/'], ['ok']);
  const run = await runCli(bench.root, ['run', '--maintenance-only']);
  expect([
    run.code,
    run.stderr
      .trim()
      .split('\n')
      .map((line) => line.slice(18, 25)),
  ]).toEqual([0, ['STARTED', 'SEALED ']]);
  expect(bench.outputs(id, 'plain')).toHaveLength(1);
  expect(bench.result(id, 'fails').status).toBe('failed');
  expect(bench.snapshots(kept.id)[0]).toMatchObject({ status: 'sealed', due_at: null, config: '{}' });
  expect(bench.crawl(third.id)).toMatchObject({ status: 'queued' });
  const failed = await runCli(bench.root, ['extract', id, '--failed']);
  expect(failed.code).toBe(0);
  expect(failed.stderr).toContain('SEALED');
  expect(bench.crawl(third.id)).toMatchObject({ status: 'queued' });
});

it('ends the running step at the first Ctrl-C of add and goes on, and stops at the second', async () => {
  const bench = await processBench();
  const first = holdfast(bench, 'add', '--plugins', 'slow,links', one);
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  first.kill('SIGINT');
  expect((await once(first, 'close'))[0]).toBe(0);
  expect(first.words()).toContain('Ctrl-C again stops it.');
  const [crawlId = ''] = first
    .words()
    .split('\n')
    .filter((line) => /^[0-9a-f-]{36}$/.test(line));
  const { id } = bench.snapshots(crawlId)[0]!;
  expect(bench.result(id, 'slow')).toMatchObject({ status: 'failed', error: 'You ended it.' });
  expect(bench.result(id, 'links').status).toBe('succeeded');

  const second = holdfast(
    bench,
    'add',
    '--plugins',
    'slow,links',
    'http://two.example/',
    'http://three.example/',
    'http://four.example/',
  );
  await bench.until('one of them runs', () => slowPids(bench).length >= 2);
  second.kill('SIGINT');
  await bench.until('it says so', () => second.words().includes('Ctrl-C again stops it.'));
  second.kill('SIGINT');
  expect((await once(second, 'close'))[0]).toBe(130);
  expect(second.words()).toContain('goes on.');
  expect(slowPids(bench).filter((pid) => processStartTime(pid) !== undefined)).toEqual([]);
});
