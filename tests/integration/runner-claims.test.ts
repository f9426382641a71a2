import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openCollection } from '../../companion/collection/open-collection.ts';
import type { Digest } from '../../shared/digest/digest.ts';
import { uploadHookName, witnessPlugins } from '../../shared/model/states.ts';
import { beatSnapshot, claimSnapshot, sealSnapshot } from '../../companion/collection/records/leases.ts';
import { findActiveRunner, insertProcess, promoteRunner } from '../../companion/collection/records/processes.ts';
import {
  requestCrawl,
  requestFetch,
  requestPlugins,
  requestSnapshot,
} from '../../companion/collection/records/requests.ts';
import { mergeResult, recordOutputs } from '../../companion/collection/records/results.ts';
import { ensureSnapshot, findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { recordHook } from '../../companion/runner/record-hook.ts';
import { runnerBench, type RunnerBench } from '../helpers/runner-bench.ts';

const dayMs = 24 * 3600_000;

async function addRunner(bench: RunnerBench): Promise<string> {
  const { db, machineId } = bench.collection;
  return db.write(() => {
    const identity = { pid: process.pid, pidNamespace: 'test', pidStartedAt: 'test' };
    const row = insertProcess(
      db,
      { ...identity, machineId, type: 'runner', workerType: 'waiting', cmd: [], cwd: '' },
      Date.now(),
    );
    return row.id;
  });
}

async function addActiveRunner(bench: RunnerBench): Promise<string> {
  const id = await addRunner(bench);
  await bench.collection.db.write(() => promoteRunner(bench.collection.db, id, bench.collection.machineId, Date.now()));
  return id;
}

/** A snapshot as the extension announces it. */
async function announce(bench: RunnerBench, expectedCaptures: readonly string[], url = 'http://seen.example/') {
  const { collection } = bench;
  const input = await collection.gate.promoteBytes(Buffer.from(`${url}\n`));
  return collection.db.write(
    () =>
      ensureSnapshot(
        collection.db,
        {
          url,
          ownerId: collection.owner.id,
          depth: 0,
          title: 'What I saw',
          titleOrigin: 'browser',
          tags: [],
          notes: '',
          source: 'browser',
          expectedCaptures,
          bookmarkedAt: Date.now(),
          permissions: 'private',
          inputDigest: input.digest,
        },
        Date.now(),
      ).row,
  );
}

/** A capture as a completed upload records it. */
async function deliver(
  bench: RunnerBench,
  snapshotId: string,
  plugin: string,
  file: string,
  text: string,
): Promise<void> {
  const { collection } = bench;
  const promoted = await collection.gate.promoteBytes(Buffer.from(text));
  await collection.db.write(() =>
    recordOutputs(
      collection.db,
      { snapshotId, plugin, hookName: uploadHookName },
      [{ path: file, ...promoted, mimetype: 'text/html', declaredType: '' }],
      { status: 'succeeded', origin: 'browser' },
      Date.now(),
    ),
  );
  collection.bell.ring();
}

it('gives a due snapshot to one of two connections that claim it at the same moment', async () => {
  const bench = await runnerBench();
  const snapshot = await announce(bench, []);
  const owner = await addActiveRunner(bench);
  const other = await openCollection(bench.root);
  const now = Date.now();
  const claims = await Promise.all(
    [bench.collection.db, other.db].map((db) => db.write(() => claimSnapshot(db, { id: snapshot.id, owner, now }))),
  );
  other.close();
  expect(claims.filter((lease) => lease !== undefined)).toEqual([{ id: snapshot.id, owner, generation: 1 }]);
  expect(findSnapshot(bench.collection.db, snapshot.id)).toMatchObject({ status: 'started', lease_generation: 1 });
  expect(bench.crawl(snapshot.crawl_id).status).toBe('started');
});

it('lets only the active runner claim, and only one be active', async () => {
  const bench = await runnerBench();
  const { db, machineId } = bench.collection;
  const snapshot = await announce(bench, []);
  const [first, second] = [await addRunner(bench), await addRunner(bench)];
  const claim = (owner: string) => db.write(() => claimSnapshot(db, { id: snapshot.id, owner, now: Date.now() }));
  expect(await claim(first)).toBeUndefined();
  const promoted = await Promise.all(
    [first, second].map((id) => db.write(() => promoteRunner(db, id, machineId, Date.now()))),
  );
  expect(promoted).toEqual([true, false]);
  expect(findActiveRunner(db, machineId)?.id).toBe(first);
  expect(() => db.raw(`UPDATE process SET worker_type = 'active' WHERE id = :second`, { second })).toThrow(/UNIQUE/);
  expect(await claim(second)).toBeUndefined();
  expect(await claim(first)).toMatchObject({ generation: 1 });
});

it('keeps a pause through a heartbeat and a seal that come after it', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const snapshot = await announce(bench, []);
  const owner = await addActiveRunner(bench);
  const lease = (await db.write(() => claimSnapshot(db, { id: snapshot.id, owner, now: Date.now() })))!;
  await db.write(() => requestSnapshot(db, snapshot.id, 'pause', Date.now()));
  expect(await db.write(() => beatSnapshot(db, lease, 'started', Date.now()))).toBe('paused');
  expect(await db.write(() => sealSnapshot(db, lease, 0, Date.now()))).toBe(false);
  expect(findSnapshot(db, snapshot.id)).toMatchObject({ status: 'paused', due_at: null });
});

it('drops what a hook brings after its snapshot was claimed by another', async () => {
  const bench = await runnerBench();
  const { collection } = bench;
  const { db } = collection;
  const snapshot = await announce(bench, []);
  const owner = await addActiveRunner(bench);
  const lease = (await db.write(() => claimSnapshot(db, { id: snapshot.id, owner, now: Date.now() })))!;
  db.raw('UPDATE snapshot SET lease_generation = lease_generation + 1');
  const output = {
    path: 'late.txt',
    ...(await collection.gate.promoteBytes(Buffer.from('late'))),
    mimetype: 'text/plain',
    declaredType: '',
  };
  const record = {
    key: { snapshotId: snapshot.id, plugin: 'ok', hookName: 'on_Snapshot__50_ok' },
    lease,
    processId: undefined,
    exitCode: 0,
    stdout: '',
    stderr: '',
    startedAt: 1,
    endedAt: 2,
    outcome: { status: 'succeeded' as const, outputStr: 'late.txt', outputJson: undefined, error: null },
    tags: [],
    origin: 'fetched' as const,
  };
  expect(await recordHook(collection, record, [output])).toEqual({ fenced: true });
  expect(bench.results(snapshot.id)).toEqual([]);
  expect(await recordHook(collection, { ...record, lease: { ...lease, generation: 2 } }, [output])).toMatchObject({
    fenced: false,
  });
  expect(bench.results(snapshot.id)).toHaveLength(1);
});

it('plans again when a capture completes during the run, and seals with what it brought', async () => {
  const bench = await runnerBench();
  const { collection, root } = bench;
  const snapshot = await announce(bench, []);
  collection.db.raw(`UPDATE crawl SET config = json_set(config, '$.PLUGINS', 'fromcopy,slow')`);
  const done = bench.work();
  await bench.until('the slow hook runs', () => fs.existsSync(path.join(root, 'slow.pids')));
  expect(bench.result(snapshot.id, 'slow').status).toBe('started');
  await deliver(bench, snapshot.id, witnessPlugins.dom, 'singlefile.html', '<p>as I saw it</p>\n');
  fs.writeFileSync(path.join(root, 'slow.go'), '');
  await done;
  expect(findSnapshot(collection.db, snapshot.id)).toMatchObject({
    status: 'sealed',
    due_at: null,
    title: 'What I saw',
  });
  const copy = bench.outputs(snapshot.id, 'fromcopy')[0]!;
  expect(fs.readFileSync(collection.layout.blob(copy.digest as Digest), 'utf8')).toBe('<p>as I saw it</p>\n');
});

it('works from the browser copy without the network, and again when a later capture comes in', async () => {
  const bench = await runnerBench();
  const { collection, root } = bench;
  const snapshot = await announce(bench, [witnessPlugins.dom]);
  collection.db.raw(`UPDATE crawl SET config = json_set(config, '$.PLUGINS', 'fromcopy,ok')`);
  await bench.work();
  expect(findSnapshot(collection.db, snapshot.id)!.status).toBe('queued');
  expect(bench.results(snapshot.id)).toEqual([]);

  await deliver(bench, snapshot.id, witnessPlugins.dom, 'singlefile.html', '<p>first</p>\n');
  await bench.work();
  expect(findSnapshot(collection.db, snapshot.id)).toMatchObject({ status: 'sealed', due_at: null });
  expect(bench.result(snapshot.id, 'fromcopy')).toMatchObject({ status: 'succeeded', origin: 'derived' });
  expect(bench.result(snapshot.id, 'ok')).toMatchObject({ status: 'skipped', output_str: 'would use the network' });
  expect(fs.existsSync(path.join(root, 'ok.runs'))).toBe(false);
  const first = bench.outputs(snapshot.id, 'fromcopy')[0]!;
  const capture = bench.outputs(snapshot.id, witnessPlugins.dom)[0]!;
  expect(capture.size).toBe('<p>first</p>\n'.length);

  await deliver(bench, snapshot.id, witnessPlugins.dom, 'singlefile.html', '<p>second</p>\n');
  expect(findSnapshot(collection.db, snapshot.id)!.due_at).not.toBeNull();
  await bench.work();
  expect(findSnapshot(collection.db, snapshot.id)).toMatchObject({ status: 'sealed', due_at: null });
  expect(bench.outputs(snapshot.id, 'fromcopy')[0]!.digest).not.toBe(first.digest);
  expect(fs.readFileSync(path.join(root, 'fromcopy.runs'), 'utf8')).toBe('run\nrun\n');
});

it('waits for the browser by moving on a day, and fetches itself only when told to', async () => {
  const bench = await runnerBench();
  const { collection } = bench;
  const { db } = collection;
  const snapshot = await announce(bench, [witnessPlugins.dom]);
  db.raw(`UPDATE crawl SET config = json_set(config, '$.PLUGINS', 'ok'), due_at = 1`);
  db.raw('UPDATE snapshot SET due_at = 1');
  await bench.work();
  const waiting = findSnapshot(db, snapshot.id)!;
  expect(waiting).toMatchObject({ status: 'queued', lease_generation: 0 });
  expect(waiting.due_at! - Date.now()).toBeGreaterThan(dayMs - 60_000);
  expect(bench.crawl(snapshot.crawl_id).due_at).toBe(waiting.due_at);

  await db.write(() => requestFetch(db, snapshot.id, Date.now()));
  await bench.work();
  expect(findSnapshot(db, snapshot.id)!.status).toBe('sealed');
  expect(bench.result(snapshot.id, 'ok')).toMatchObject({ status: 'succeeded', origin: 'fetched' });
  expect(bench.crawl(snapshot.crawl_id).status).toBe('sealed');
});

it('fetches a sealed page that brought nothing when told to', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const snapshot = await announce(bench, [witnessPlugins.dom]);
  db.raw(`UPDATE crawl SET config = json_set(config, '$.PLUGINS', 'ok')`);
  const key = { snapshotId: snapshot.id, plugin: witnessPlugins.dom, hookName: uploadHookName };
  await db.write(() => mergeResult(db, key, { status: 'failed', error: 'interrupted', origin: 'browser' }, Date.now()));
  await bench.work();
  expect(findSnapshot(db, snapshot.id)!.status).toBe('sealed');
  await db.write(() => requestFetch(db, snapshot.id, Date.now()));
  await bench.work();
  expect(bench.result(snapshot.id, 'ok').status).toBe('succeeded');
  expect(findSnapshot(db, snapshot.id)).toMatchObject({ status: 'sealed', due_at: null, config: '{"FETCH":true}' });
});

it('keeps a good output when a requested run fails, and replaces it when one succeeds', async () => {
  const bench = await runnerBench();
  const { db } = bench.collection;
  const crawl = await bench.submit(['http://one.example/'], ['flaky']);
  await bench.work();
  const { id } = bench.snapshots(crawl.id)[0]!;
  const good = bench.outputs(id, 'flaky')[0]!;

  fs.writeFileSync(path.join(bench.root, 'flaky.broken'), '');
  await db.write(() => requestPlugins(db, id, ['flaky'], Date.now()));
  await bench.work();
  expect(bench.result(id, 'flaky')).toMatchObject({ status: 'succeeded', output_str: 'good.txt' });
  expect(bench.result(id, 'flaky').error).toContain('it broke this time');
  expect(bench.outputs(id, 'flaky')).toEqual([good]);
  expect(findSnapshot(db, id)).toMatchObject({ status: 'sealed', due_at: null, config: '{}' });

  fs.rmSync(path.join(bench.root, 'flaky.broken'));
  await db.write(() => requestPlugins(db, id, ['flaky'], Date.now()));
  await bench.work();
  expect(bench.result(id, 'flaky')).toMatchObject({ status: 'succeeded', error: null });
  expect(bench.outputs(id, 'flaky').map((output) => output.digest)).toEqual([good.digest]);
});

it('lets a running hook finish when its crawl is paused, runs no further one, and goes on after resuming', async () => {
  const bench = await runnerBench();
  const { db, bell } = bench.collection;
  const crawl = await bench.submit(['http://one.example/'], ['slow', 'sibling', 'ok']);
  const done = bench.work();
  await bench.until('the slow hook runs', () => fs.existsSync(path.join(bench.root, 'slow.pids')));
  await db.write(() => requestCrawl(db, crawl.id, 'pause', Date.now()));
  bell.ring();
  fs.writeFileSync(path.join(bench.root, 'slow.go'), '');
  await done;
  const { id } = bench.snapshots(crawl.id)[0]!;
  expect(findSnapshot(db, id)).toMatchObject({ status: 'paused', lease_owner: null });
  expect(bench.result(id, 'slow').status).toBe('succeeded');
  expect(bench.result(id, 'sibling')).toBeUndefined();

  await db.write(() => requestCrawl(db, crawl.id, 'resume', Date.now()));
  await bench.work();
  expect(bench.result(id, 'sibling').status).toBe('succeeded');
  expect(findSnapshot(db, id)!.status).toBe('sealed');
  expect(fs.readFileSync(path.join(bench.root, 'ok.runs'), 'utf8').trim().split('\n')).toHaveLength(1);
  expect(fs.readFileSync(path.join(bench.root, 'slow.pids'), 'utf8').trim().split('\n')).toHaveLength(1);
});

it('ends running hooks and seals everything when the crawl is cancelled', async () => {
  const bench = await runnerBench();
  const { db, bell } = bench.collection;
  const urls = [
    'http://one.example/',
    'http://two.example/',
    'http://three.example/',
    'http://four.example/',
    'http://five.example/',
  ];
  const crawl = await bench.submit(urls, ['slow']);
  const done = bench.work();
  await bench.until('a slow hook runs', () => fs.existsSync(path.join(bench.root, 'slow.pids')));
  await db.write(() => requestCrawl(db, crawl.id, 'cancel', Date.now()));
  bell.ring();
  await done;
  expect(bench.crawl(crawl.id)).toMatchObject({ status: 'sealed', stop_reason: 'cancelled', due_at: null });
  expect(bench.snapshots(crawl.id).map(({ status, due_at }) => [status, due_at])).toEqual(
    urls.map(() => ['sealed', null]),
  );
  const started = bench
    .snapshots(crawl.id)
    .flatMap(({ id }) => bench.results(id).filter((row) => row.plugin === 'slow'));
  expect(started.length).toBeLessThan(urls.length);
  for (const result of started)
    expect(result).toMatchObject({ status: 'failed', error: expect.stringContaining('cancelled') });
});
