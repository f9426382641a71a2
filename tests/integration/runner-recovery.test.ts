import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { uploadHookName } from '../../shared/model/states.ts';
import { claimCrawl, claimSnapshot } from '../../companion/collection/records/leases.ts';
import { endProcess, insertProcess, promoteRunner } from '../../companion/collection/records/processes.ts';
import { interruptedSentence } from '../../companion/collection/records/recovery.ts';
import { mergeResult } from '../../companion/collection/records/results.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { pidNamespace } from '../../companion/process/process-identity.ts';
import { parseCrawl } from '../../companion/runner/parse-crawl.ts';
import { recover } from '../../companion/runner/recover.ts';
import { RunnerSeat } from '../../companion/runner/runner-seat.ts';
import { runnerBench, type RunnerBench } from '../helpers/runner-bench.ts';

/** A process number that no process has: the largest the kernel gives is far below. */
const nobody = { pid: 2_000_000_000, pidNamespace: pidNamespace(), pidStartedAt: 'long ago' };

/** A snapshot that was claimed by a runner that died with one hook started. */
async function deadRun(bench: RunnerBench, plugin: string, hookName: string) {
  const { collection } = bench;
  const { db, machineId, layout } = collection;
  const crawl = await bench.submit(['http://one.example/'], [plugin]);
  await bench.work({ snapshotIds: [] });
  const seat = await RunnerSeat.register(collection);
  await seat.take(false);
  const crawlLease = await db.write(() => claimCrawl(db, { id: crawl.id, owner: seat.id, now: Date.now() }));
  await parseCrawl(bench.context, crawlLease!, new AbortController().signal);
  await seat.leave();
  const snapshot = bench.snapshots(crawl.id)[0]!;
  return db.write(() => {
    const now = Date.now();
    const runner = insertProcess(
      db,
      { ...nobody, machineId, type: 'runner', workerType: 'waiting', cmd: [], cwd: '' },
      now,
    );
    promoteRunner(db, runner.id, machineId, now);
    const lease = claimSnapshot(db, { id: snapshot.id, owner: runner.id, now })!;
    const cwd = path.join(layout.snapshotRun(snapshot.id, lease.generation), plugin);
    const facts = { parentId: runner.id, snapshotId: snapshot.id, generation: lease.generation, hookName };
    const hook = insertProcess(db, { ...nobody, ...facts, machineId, type: 'hook', cmd: [], cwd }, now);
    mergeResult(
      db,
      { snapshotId: snapshot.id, plugin, hookName },
      { status: 'started', origin: 'fetched', processId: hook.id },
      now,
    );
    return { crawl, snapshot, runner, hook, cwd };
  });
}

async function activeSeat(bench: RunnerBench): Promise<RunnerSeat> {
  const seat = await RunnerSeat.register(bench.collection);
  expect(await seat.take(false)).toEqual({ taken: true });
  return seat;
}

it('closes the started result of a dead runner, frees its snapshot, and runs the hook again', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const { snapshot, runner, hook } = await deadRun(bench, 'ok', 'on_Snapshot__50_ok');
  const seat = await activeSeat(bench);
  expect(await recover(bench.context, seat.id)).toEqual({
    orphan_hooks: 1,
    interrupted_results: 1,
    lost_snapshot_leases: 1,
  });
  expect(bench.result(snapshot.id, 'ok')).toMatchObject({ status: 'failed', error: interruptedSentence });
  expect(findSnapshot(db, snapshot.id)).toMatchObject({ status: 'started', lease_owner: null });
  expect(findSnapshot(db, snapshot.id)!.due_at).toBeLessThanOrEqual(Date.now());
  expect(await recover(bench.context, seat.id)).toEqual({});
  await seat.leave();
  await bench.work();
  expect(bench.result(snapshot.id, 'ok')).toMatchObject({ status: 'succeeded', error: null });
  expect(findSnapshot(db, snapshot.id)!.status).toBe('sealed');
  const rows = db.raw<{ id: string; status: string }>('SELECT id, status FROM process WHERE id IN (:runner, :hook)', {
    runner: runner.id,
    hook: hook.id,
  });
  expect(rows.map((row) => row.status)).toEqual(['exited', 'exited']);
});

it('records a hook that had ended before its runner died from what was saved, without running it again', async () => {
  const bench = await runnerBench();
  const { snapshot, hook, cwd } = await deadRun(bench, 'ok', 'on_Snapshot__50_ok');
  fs.mkdirSync(cwd, { recursive: true });
  fs.writeFileSync(path.join(cwd, 'ok.txt'), 'saved in time\n');
  const record = JSON.stringify({ type: 'ArchiveResult', status: 'succeeded', output_str: 'ok.txt' });
  fs.writeFileSync(path.join(cwd, 'on_Snapshot__50_ok.stdout.log'), `${record}\n`);
  fs.writeFileSync(path.join(cwd, 'on_Snapshot__50_ok.stderr.log'), '');
  const meta = {
    reason: 'exited',
    exitCode: 0,
    signal: null,
    pid: nobody.pid,
    startedAt: null,
    startedAtMs: 1,
    endedAtMs: 2,
    message: null,
  };
  fs.writeFileSync(path.join(cwd, 'on_Snapshot__50_ok.meta.json'), JSON.stringify(meta));
  await bench.work();
  expect(bench.result(snapshot.id, 'ok')).toMatchObject({ status: 'succeeded', process_id: hook.id, ended_at: 2 });
  expect(bench.outputs(snapshot.id, 'ok')).toMatchObject([{ path: 'ok.txt', size: 'saved in time\n'.length }]);
  expect(fs.existsSync(path.join(bench.root, 'ok.runs'))).toBe(false);
  expect(findSnapshot(bench.collection.db, snapshot.id)!.status).toBe('sealed');
});

it('ends a hook that its runner had started but had no time to write down', async () => {
  const bench = await runnerBench();
  const { cwd } = await deadRun(bench, 'ok', 'on_Snapshot__50_ok');
  fs.mkdirSync(cwd, { recursive: true });
  const unwritten = spawn('sleep', ['1000'], {
    detached: true,
    stdio: 'ignore',
    env: { SNAP_DIR: path.dirname(cwd), PATH: '/bin:/usr/bin' },
  });
  const bystander = spawn('sleep', ['1000'], {
    detached: true,
    stdio: 'ignore',
    env: { SNAP_DIR: bench.root, PATH: '/bin:/usr/bin' },
  });
  onTestFinished(() => void bystander.kill('SIGKILL'));
  const gone = once(unwritten, 'exit');
  const seat = await activeSeat(bench);
  expect(await recover(bench.context, seat.id)).toMatchObject({ orphan_hooks: 2 });
  await gone;
  expect(bystander.exitCode).toBeNull();
  expect(bystander.signalCode).toBeNull();
  expect(fs.readdirSync(bench.collection.layout.runs())).toEqual([]);
});

it('takes up an open snapshot that nobody had planned', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const { snapshot } = await deadRun(bench, 'ok', 'on_Snapshot__50_ok');
  db.raw(`UPDATE snapshot SET status = 'queued', due_at = NULL, lease_owner = NULL`);
  db.raw(`UPDATE process SET status = 'exited'`);
  const seat = await activeSeat(bench);
  expect(await recover(bench.context, seat.id)).toMatchObject({ open_without_due: 1 });
  expect(findSnapshot(db, snapshot.id)!.due_at).not.toBeNull();
  expect(await recover(bench.context, seat.id)).toEqual({});
});

it('closes a crawl whose snapshots are all sealed', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const { crawl } = await deadRun(bench, 'ok', 'on_Snapshot__50_ok');
  db.raw(`UPDATE snapshot SET status = 'sealed', due_at = NULL, lease_owner = NULL`);
  db.raw(`UPDATE process SET status = 'exited'`);
  const later = Date.now() + 3600_000;
  db.raw('UPDATE crawl SET due_at = :later', { later });
  const seat = await activeSeat(bench);
  expect(await recover(bench.context, seat.id)).toMatchObject({ finished_crawls: 1 });
  expect(bench.crawl(crawl.id).due_at).toBeLessThan(later);
  expect(await recover(bench.context, seat.id)).toEqual({});
  await seat.leave();
  await bench.work();
  expect(bench.crawl(crawl.id)).toMatchObject({ status: 'sealed', due_at: null });
});

it('frees a crawl whose text was half read', async () => {
  const bench = await runnerBench();
  const { db, machineId } = bench.collection;
  const crawl = await bench.submit(['http://one.example/', 'http://two.example/'], ['ok']);
  const runner = await db.write(() => {
    const row = insertProcess(db, { ...nobody, machineId, type: 'runner', cmd: [], cwd: '' }, Date.now());
    db.raw(
      `UPDATE crawl SET status = 'started', lease_owner = :id, lease_generation = 1, lease_expires_at = :late, due_at = :late`,
      {
        id: row.id,
        late: Date.now() + 60_000,
      },
    );
    return row;
  });
  const seat = await activeSeat(bench);
  expect(await recover(bench.context, seat.id)).toEqual({ dead_runners: 1, lost_crawl_leases: 1 });
  expect(await recover(bench.context, seat.id)).toEqual({});
  await seat.leave();
  await bench.work();
  expect(runner.id).not.toBe(seat.id);
  expect(bench.snapshots(crawl.id).map((row) => row.status)).toEqual(['sealed', 'sealed']);
});

it('leaves an upload in progress alone: neither its row nor its bytes change', async () => {
  const bench = await runnerBench();
  const { collection } = bench;
  const { db, layout } = collection;
  const { snapshot } = await deadRun(bench, 'ok', 'on_Snapshot__50_ok');
  const key = { snapshotId: snapshot.id, plugin: 'chrome_extension_mhtml', hookName: uploadHookName };
  const tenMinutesAgo = Date.now() - 600_000;
  await db.write(() => mergeResult(db, key, { status: 'started', origin: 'browser' }, tenMinutesAgo));
  const part = path.join(layout.upload('11111111-1111-7111-8111-111111111111'), 'part');
  fs.mkdirSync(path.dirname(part), { recursive: true });
  fs.writeFileSync(part, 'half of it');
  fs.utimesSync(part, tenMinutesAgo / 1000, tenMinutesAgo / 1000);
  const before = { row: bench.result(snapshot.id, key.plugin), stat: fs.statSync(part).mtimeMs };
  const seat = await activeSeat(bench);
  for (let round = 0; round < 20; round += 1) await recover(bench.context, seat.id);
  expect({ row: bench.result(snapshot.id, key.plugin), stat: fs.statSync(part).mtimeMs }).toEqual(before);
  expect(fs.readFileSync(part, 'utf8')).toBe('half of it');
});

it('never ends hooks or takes leases of a runner that lives', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const crawl = await bench.submit(['http://one.example/'], ['slow']);
  const done = bench.work();
  await bench.until('the slow hook runs', () => fs.existsSync(path.join(bench.root, 'slow.pids')));
  const { id } = bench.snapshots(crawl.id)[0]!;
  const owner = findSnapshot(db, id)!.lease_owner!;
  db.raw('UPDATE snapshot SET lease_expires_at = 1');
  expect(await recover(bench.context, owner)).toEqual({});
  expect(findSnapshot(db, id)!.lease_owner).toBe(owner);
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await done;
  expect(bench.result(id, 'slow').status).toBe('succeeded');
  expect(await db.write(() => endProcess(db, owner, { exitCode: 0 }, Date.now()))).toBe(false);
});
