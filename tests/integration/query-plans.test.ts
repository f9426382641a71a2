import { expect, it } from 'vitest';
import {
  requestCrawl,
  requestFailed,
  requestPlugins,
  requestSnapshot,
} from '../../companion/collection/records/requests.ts';
import { recover } from '../../companion/runner/recover.ts';
import { ensureDetachedRunner } from '../../companion/runner/runner-command.ts';
import { RunnerSeat } from '../../companion/runner/runner-seat.ts';
import { witnessPlugins } from '../../shared/model/states.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { databaseOfAMillion, preparedStatements, scansOf } from '../helpers/query-plans.ts';
import { runnerBench } from '../helpers/runner-bench.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, startUploadServer } from '../helpers/upload-server.ts';

const id = '0199e6a1-0000-7000-8000-000000000000';

/** Statements of a flow that read a big table from end to end, with the step of the plan that does. */
function scansOfAll(collection: Parameters<typeof preparedStatements>[0]): string[] {
  const million = databaseOfAMillion(collection, temporaryFolder('plans'));
  const statements = preparedStatements(collection).filter((sql) =>
    /^\s*(SELECT|UPDATE|DELETE|WITH|INSERT)/i.test(sql),
  );
  expect(statements.length).toBeGreaterThan(20);
  const found = statements.flatMap((sql) =>
    scansOf(million, sql).map((step) => `${step}: ${sql.replace(/\s+/g, ' ')}`),
  );
  million.close();
  return found;
}

it('sees a scan where there is one', async () => {
  const bench = await runnerBench();
  const million = databaseOfAMillion(bench.collection, temporaryFolder('plans'));
  expect(scansOf(million, 'SELECT id FROM snapshot AS page WHERE page.notes = :notes')).toHaveLength(1);
  expect(scansOf(million, 'SELECT count(*) FROM snapshot WHERE trashed_at IS NULL')).toHaveLength(1);
  expect(scansOf(million, 'SELECT id FROM snapshot WHERE crawl_id = ? AND url = ? AND trashed_at IS NULL')).toEqual([]);
  million.close();
});

it('answers every question of the runner from an index', async () => {
  const bench = await runnerBench();
  const { collection } = bench;
  const { db } = collection;
  const limits = { ONLY_NEW: true, CRAWL_MAX_URLS: 4, CRAWL_MAX_SIZE: '1kb', CRAWL_TIMEOUT: 60 };
  const crawl = await bench.submit(['http://one.example/', 'file:///x'], ['links', 'fails', 'ok'], limits, 2);
  await bench.work();
  const snapshots = bench.snapshots(crawl.id);
  await db.write(() => requestFailed(db, snapshots[0]!.id, Date.now()));
  await bench.work({ snapshotIds: [snapshots[0]!.id] });
  await bench.work({ crawlId: crawl.id, maintenanceOnly: true });
  const second = await bench.submit(['http://two.example/'], ['ok']);
  for (const request of ['pause', 'resume', 'cancel'] as const)
    await db.write(() => requestCrawl(db, second.id, request, Date.now()));
  await bench.work({ crawlId: second.id });
  const third = await bench.submit(['http://three.example/', 'http://four.example/'], ['ok'], {
    CRAWL_MAX_CONCURRENT_SNAPSHOTS: 1,
  });
  await bench.work({ crawlId: third.id, snapshotIds: [id] });
  await db.write(() => requestCrawl(db, third.id, 'pause', Date.now()));
  await bench.work();
  const seat = await RunnerSeat.register(collection);
  await seat.take(false);
  await recover(bench.context, seat.id, { crawlId: crawl.id, snapshotIds: [id] });
  await ensureDetachedRunner(collection);
  await seat.leave();
  await db.write(() => requestPlugins(db, snapshots[0]!.id, ['ok'], Date.now()));
  db.raw(`UPDATE snapshot SET status = 'queued', due_at = 1 WHERE id = :id`, { id: snapshots[0]!.id });
  await db.write(() => requestSnapshot(db, snapshots[0]!.id, 'cancel', Date.now()));
  expect(scansOfAll(collection)).toEqual([]);
});

it('answers every question of the server from an index', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { snapshotId } = await announceResult(server.collection, server.request, witnessPlugins.dom);
  const time = '2026-01-01T00:00:00Z';
  const cursor = encodeURIComponent(`1~${id}`);
  const pages = [
    '',
    'url=x',
    'tag=x',
    'status=queued',
    `crawl_id=${id}`,
    `bookmarked_at__gte=${time}`,
    `bookmarked_at__lt=${time}`,
    `cursor=${cursor}`,
  ];
  const results = [
    '',
    `snapshot_id=${id}`,
    'snapshot_url=x',
    'snapshot_tag=x',
    'status=failed',
    'plugin=x',
    'hook_name=x',
    `process_id=${id}`,
    `cursor=${id}`,
  ];
  const asked = [
    ...pages.map((query) => `${routes.snapshots}?${query}`),
    ...results.map((query) => `${routes.results}?${query}`),
    ...[routes.crawls, routes.tags, routes.status, routes.snapshot(snapshotId), routes.crawl(id)],
  ];
  for (const address of asked) expect((await server.request(address)).status, address).toBeLessThan(405);
  const patch = {
    method: 'PATCH',
    body: JSON.stringify({ title: 'x', tags: ['a'], notes: 'n', retry_plugins: ['title'] }),
  };
  await server.request(routes.snapshot(snapshotId), patch);
  for (const action of ['pause', 'resume', 'fetch', 'retry', 'cancel'])
    await server.request(routes.snapshot(snapshotId), { method: 'PATCH', body: JSON.stringify({ action }) });
  await server.request(routes.digests, {
    method: 'POST',
    body: JSON.stringify({ digests: [`sha256:${'0'.repeat(64)}`] }),
  });
  await server.request(routes.snapshot(snapshotId), { method: 'DELETE' });
  expect(scansOfAll(server.collection)).toEqual([]);
});
