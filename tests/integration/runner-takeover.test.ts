import { once } from 'node:events';
import fs from 'node:fs';
import { expect, it } from 'vitest';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { findActiveRunner, insertProcess } from '../../companion/collection/records/processes.ts';
import { holdfastVersion } from '../../companion/config/version.ts';
import { pidNamespace, processStartTime } from '../../companion/process/process-identity.ts';
import { holdfast, holdfastApart, processBench, slowPids } from '../helpers/process-bench.ts';
import { runCli } from '../helpers/run-cli.ts';
import { runnerBench, type RunnerBench } from '../helpers/runner-bench.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const one = 'http://one.example/';

/** The row of an active runner as somebody left it. */
async function leaveRow(bench: RunnerBench, facts: { pid: number; startedAt: string; space?: string; cwd?: string }) {
  const { db, machineId, root } = bench.collection;
  const identity = { pid: facts.pid, pidNamespace: facts.space ?? pidNamespace(), pidStartedAt: facts.startedAt };
  const kind = { type: 'runner' as const, workerType: 'active' as const, version: holdfastVersion };
  return db.write(() =>
    insertProcess(db, { ...identity, ...kind, machineId, cmd: [], cwd: facts.cwd ?? root }, Date.now()),
  );
}

it('is not held up by a row whose number another process has now', async () => {
  const bench = await runnerBench();
  const row = await leaveRow(bench, { pid: process.ppid, startedAt: 'long ago' });
  const crawl = await bench.submit([one], ['ok']);
  await bench.work();
  expect(bench.crawl(crawl.id).status).toBe('sealed');
  const [left] = bench.collection.db.raw('SELECT status, ended_at FROM process WHERE id = :id', { id: row.id });
  expect(left).toEqual({ status: 'exited', ended_at: expect.any(Number) });
  expect(processStartTime(process.ppid)).toBeDefined();
});

it('works in a copy of a data folder while the runner of the original goes on', async () => {
  const bench = await processBench();
  const original = await bench.submit([one], ['slow']);
  const daemon = holdfast(bench, 'run', '--daemon');
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  const copy = temporaryFolder('copy');
  fs.cpSync(bench.root, copy, { recursive: true });
  fs.writeFileSync(`${copy}/slow.go`, '');
  const run = await runCli(copy, ['run']);
  expect(run.code).toBe(0);
  expect(processStartTime(daemon.pid!)).toBeDefined();
  expect(processStartTime(slowPids(bench)[0]!)).toBeDefined();
  const other = await openCollection(copy);
  expect(other.db.raw('SELECT status FROM crawl')).toEqual([{ status: 'sealed' }]);
  other.close();
  expect(bench.crawl(original.id).status).toBe('started');
  daemon.kill('SIGTERM');
  expect((await once(daemon, 'exit'))[0]).toBe(143);
});

it('leaves the newest of several that take over, and loses no work', async () => {
  const bench = await processBench();
  const { db, machineId } = bench.collection;
  const crawl = await bench.submit([one], ['slow']);
  const first = holdfast(bench, 'run', '--daemon');
  await bench.until('the slow hook runs', () => slowPids(bench).length === 1);
  const second = holdfast(bench, 'run', '--daemon', '--take-over');
  await bench.until('the second is active', () => findActiveRunner(db, machineId)?.pid === second.pid);
  const third = holdfast(bench, 'run', '--daemon', '--take-over');
  await bench.until('the third is active', () => findActiveRunner(db, machineId)?.pid === third.pid);
  const ends = [first, second].map((child) => [child.exitCode, processStartTime(child.pid!)]);
  expect(ends).toEqual([
    [143, undefined],
    [143, undefined],
  ]);
  fs.writeFileSync(`${bench.root}/slow.go`, '');
  await bench.until('the crawl is sealed', () => bench.crawl(crawl.id).status === 'sealed');
  expect(findActiveRunner(db, machineId)?.pid).toBe(third.pid);
  const rows = db.raw<{ status: string }>(`SELECT status FROM process WHERE type = 'runner' AND ended_at IS NOT NULL`);
  expect(rows).toEqual([{ status: 'exited' }, { status: 'exited' }]);
  third.kill('SIGTERM');
  await once(third, 'exit');
});

it('stands by beside a runner in another process space, says so, and goes on when it is silent', async () => {
  const bench = await processBench();
  const { db, machineId } = bench.collection;
  const crawl = await bench.submit([one], ['slow']);
  const apart = holdfastApart(bench, 'run', '--daemon');
  await bench.until('it works', () => slowPids(bench).length === 1);
  const theirs = findActiveRunner(db, machineId)!;
  expect(theirs.pid_namespace).not.toBe(pidNamespace());
  const beside = holdfast(bench, 'run', '--take-over', '--crawl-id', crawl.id);
  await bench.until('it stands by', () => beside.words().includes('working on this collection already'));
  expect(beside.words()).toContain(
    'The collection names 1 runner in another process space of this machine; they cannot be seen from here and are left alone.\n',
  );
  expect(slowPids(bench)).toHaveLength(1);
  apart.kill('SIGKILL');
  await once(apart, 'exit');
  expect(beside.exitCode).toBeNull();
  // Nobody can see from here that it is dead; a minute of silence tells.
  const silent = Date.now() - 61_000;
  await db.write(() => db.raw('UPDATE process SET heartbeat_at = :silent WHERE id = :id', { silent, id: theirs.id }));
  await db.write(() => db.raw('UPDATE snapshot SET lease_expires_at = :silent', { silent }));
  await bench.until('the work goes on here', () => slowPids(bench).length === 2);
  fs.writeFileSync(`${bench.root}/slow.go`, '');
  expect((await once(beside, 'close'))[0]).toBe(0);
  expect(beside.words()).toContain(`Process ${theirs.pid} is gone; the work goes on here.`);
  expect(bench.crawl(crawl.id).status).toBe('sealed');
});

it('warns once about a runner of another machine and never writes its row', async () => {
  const bench = await processBench();
  const { db } = bench.collection;
  const row = await leaveRow(bench, { pid: 4_000_000, startedAt: 'there' });
  db.raw(`INSERT INTO machine (id, created_at, modified_at, revision, guid, hostname, facts)
    SELECT 'elsewhere', created_at, modified_at, 1, 'elsewhere', 'elsewhere', '{}' FROM machine`);
  db.raw(`UPDATE process SET machine_id = 'elsewhere' WHERE id = :id`, { id: row.id });
  const before = db.raw('SELECT * FROM process WHERE id = :id', { id: row.id });
  const crawl = await bench.submit([one], ['ok']);
  const run = await runCli(bench.root, ['run']);
  expect(run.code).toBe(0);
  expect(run.stderr.match(/on other machines/g)).toHaveLength(1);
  expect(bench.crawl(crawl.id).status).toBe('sealed');
  expect(db.raw('SELECT * FROM process WHERE id = :id', { id: row.id })).toEqual(before);
});
