import fs from 'node:fs';
import { expect, it } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { createLogger } from '../../companion/log/logger.ts';
import { IdleUpkeep } from '../../companion/runner/idle-upkeep.ts';
import { startCompanion } from '../helpers/companion.ts';
import { keepFile, somePicture } from '../helpers/kept-files.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer, type UploadServer } from '../helpers/upload-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const DAY_MS = 24 * 3600_000;
const always = () => true;

/** Upkeep with a clock of its own; `run` does all that is due and answers how many tasks there were. */
function upkeepOf(server: UploadServer, startMs = Date.now()) {
  let time = startMs;
  const upkeep = new IdleUpkeep({
    collection: server.collection,
    log: createLogger('silent', 'test'),
    now: () => time,
  });
  const run = async (isIdle = always): Promise<number> => {
    let tasks = 0;
    while (await upkeep.step(isIdle)) tasks += 1;
    return tasks;
  };
  return { run, pass: (ms: number) => (time += ms) };
}

it('does each task once, and again when its time has come', async () => {
  const server = await startUploadServer(temporaryFolder());
  await keepFile(server, somePicture(), 'a.bin');
  const upkeep = upkeepOf(server);
  expect(await upkeep.run()).toBe(4);
  expect(await upkeep.run()).toBe(0);
  const statistics = server.collection.db.raw<{ tbl: string }>('SELECT DISTINCT tbl FROM sqlite_stat1');
  expect(statistics.map((row) => row.tbl)).toContain('output');
  upkeep.pass(3600_000);
  expect(await upkeep.run()).toBe(2);
  upkeep.pass(DAY_MS);
  expect(await upkeep.run()).toBe(4);
});

it('notices damaged bytes by itself and tells in the status', async () => {
  const server = await startUploadServer(temporaryFolder());
  const kept = await keepFile(server, somePicture(), 'a.bin');
  const upkeep = upkeepOf(server);
  await upkeep.run();
  expect((await server.request(routes.status)).json().damaged_files).toBe(0);
  const file = server.collection.layout.blob(kept.digest);
  fs.chmodSync(file, 0o644);
  fs.writeFileSync(file, 'other');
  upkeep.pass(30 * DAY_MS);
  await upkeep.run();
  expect((await server.request(routes.status)).json().damaged_files, 'not due again yet').toBe(0);
  upkeep.pass(62 * DAY_MS);
  await upkeep.run();
  expect((await server.request(routes.status)).json().damaged_files).toBe(1);
});

it('removes what nothing refers to, and deletes what is past its time', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const kept = await keepFile(server, somePicture(), 'a.bin');
  await server.request(routes.snapshot(kept.snapshotId), { method: 'DELETE' });
  const upkeep = upkeepOf(server);
  await upkeep.run();
  expect(findSnapshot(collection.db, kept.snapshotId)).toBeDefined();
  upkeep.pass(limits.trashMs + 2 * DAY_MS);
  await upkeep.run();
  expect(findSnapshot(collection.db, kept.snapshotId)).toBeUndefined();
  expect(await collection.blobs.size(kept.digest)).toBeUndefined();
});

it('stops when there is other work, keeps away for a while, and then does it after all', async () => {
  const server = await startUploadServer(temporaryFolder());
  await keepFile(server, somePicture(), 'a.bin');
  const upkeep = upkeepOf(server);
  await upkeep.run(() => false);
  const done = () => server.collection.db.raw<{ name: string }>('SELECT name FROM upkeep').map((row) => row.name);
  expect(done()).toEqual(['checkpoint']);
  expect(await upkeep.run()).toBe(0);
  upkeep.pass(61_000);
  await upkeep.run();
  expect(done().sort()).toEqual(['checkpoint', 'fixity', 'orphans', 'statistics']);
});

it('runs in the companion without being asked', { timeout: 60_000 }, async () => {
  const companion = await startCompanion({ dataDir: temporaryFolder() });
  try {
    const { db } = companion.collection;
    await waitUntil('upkeep is done', () => (db.raw('SELECT name FROM upkeep').length === 4 ? true : undefined));
  } finally {
    await companion.stop();
  }
});
