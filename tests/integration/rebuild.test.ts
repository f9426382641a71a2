import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import { writeIndexFiles } from '../../companion/collection/index-file.ts';
import { rebuildRows } from '../../companion/collection/rebuild.ts';
import { recordOutputs } from '../../companion/collection/records/results.ts';
import { keepFile, pageOf, somePicture } from '../helpers/kept-files.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

/** Everything a person sees of the collection over the API. */
async function everythingShown(server: UploadServer): Promise<unknown> {
  const list = (await server.request(`${routes.snapshots}?with_archiveresults=true`)).json();
  const trash = (await server.request(routes.trash)).json();
  const ids = [...list.items, ...trash.items].map((item: { id: string }) => item.id);
  const results = (await server.request(routes.results)).json();
  const logs = [];
  for (const result of results.items) logs.push((await server.request(routes.resultLog(result.id))).json());
  return {
    list,
    trash,
    results,
    logs,
    ids,
    crawls: (await server.request(routes.crawls)).json(),
    tags: (await server.request(routes.tags)).json(),
  };
}

async function variedCollection(root: string): Promise<UploadServer> {
  const server = await startUploadServer(root);
  const { collection } = server;
  const shared = somePicture();
  const page = await keepFile(server, pageOf('first', shared, somePicture()));
  await server.request(routes.snapshot(page.snapshotId), {
    method: 'PATCH',
    body: JSON.stringify({ title: 'Mine', tags: ['Zebra', 'apple'], notes: 'a note', permissions: 'unlisted' }),
  });
  const second = await keepFile(server, pageOf('second', shared));
  await server.request(routes.snapshot(second.snapshotId), {
    method: 'PATCH',
    body: JSON.stringify({ tags: ['apple'] }),
  });
  const text = await collection.gate.promoteBytes(Buffer.from('text'));
  await collection.db.write(() => {
    const now = Date.now();
    collection.db.raw(
      `INSERT INTO process (id, created_at, modified_at, machine_id, type, pid, snapshot_id, hook_name, stdout, stderr,
         exit_code, started_at, ended_at, heartbeat_at, status)
       VALUES ('p', 1, 1, ?, 'hook', 7, ?, 'on_Snapshot__1_x', 'said', 'warned', 0, 1, 2, 2, 'exited')`,
      [collection.machineId, second.snapshotId],
    );
    const key = { snapshotId: second.snapshotId, plugin: 'htmltotext', hookName: 'on_Snapshot__1_x' };
    const output = { path: 'deep/htmltotext.txt', ...text, mimetype: 'text/plain', declaredType: 'text/odd' };
    recordOutputs(
      collection.db,
      key,
      [output],
      { status: 'succeeded', outputJson: { words: 1 }, origin: 'derived', processId: 'p' },
      now,
    );
    const failed = { snapshotId: second.snapshotId, plugin: 'pdf', hookName: 'on_Snapshot__2_pdf' };
    recordOutputs(collection.db, failed, [], { status: 'failed', error: 'No browser.', origin: 'fetched' }, now);
  });
  const trashed = await keepFile(server, somePicture(300), 'trashed.bin');
  await server.request(routes.snapshot(trashed.snapshotId), { method: 'DELETE' });
  for (const { snapshotId } of [page, second, trashed]) await writeIndexFiles(collection, snapshotId);
  return server;
}

it('gives back every field a person sees, from the files alone', async () => {
  const root = temporaryFolder();
  const server = await variedCollection(root);
  const before = await everythingShown(server);
  await server.stop();
  for (const name of fs.readdirSync(root)) {
    if (/^(collection|search)\.sqlite3/.test(name)) fs.rmSync(path.join(root, name));
  }
  const outcome = await runCli(root, ['rebuild']);
  expect(outcome.code, outcome.stderr).toBe(0);
  expect(outcome.stderr).toContain('3 pages read from the files.');
  const again = await startUploadServer(root);
  expect(await everythingShown(again)).toEqual(before);
  const sound = await runCli(root, ['verify']);
  expect(sound.lines).toEqual([]);
  expect(sound.code).toBe(0);
});

it('refuses where there are rows, and with --replace keeps them beside', async () => {
  const root = temporaryFolder();
  const server = await variedCollection(root);
  const before = await everythingShown(server);
  await server.stop();
  const refused = await runCli(root, ['rebuild']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('--replace');
  const outcome = await runCli(root, ['rebuild', '--replace']);
  expect(outcome.code, outcome.stderr).toBe(0);
  const aside = fs.readdirSync(root).filter((name) => name.startsWith('collection-before-rebuild-'));
  expect(aside.filter((name) => name.endsWith('.sqlite3'))).toHaveLength(1);
  expect(await everythingShown(await startUploadServer(root))).toEqual(before);
});

it('names index files it cannot read and goes on with the others', async () => {
  const root = temporaryFolder();
  const server = await startUploadServer(root);
  const good = await keepFile(server, somePicture(100), 'a.bin');
  const bad = await keepFile(server, somePicture(100), 'b.bin');
  for (const { snapshotId } of [good, bad]) await writeIndexFiles(server.collection, snapshotId);
  await server.stop();
  const file = path.join(bad.folder, 'index.jsonl');
  fs.writeFileSync(file, fs.readFileSync(file, 'utf8').slice(0, 200));
  fs.writeFileSync(path.join(root, 'collection.sqlite3'), 'no database any more');
  const unreadable: string[] = [];
  const report = await rebuildRows(root, {
    now: Date.now(),
    isReplacing: false,
    onUnreadable: (name) => unreadable.push(name),
  });
  expect(unreadable).toEqual([path.relative(root, file)]);
  expect(report).toMatchObject({ snapshots: 1, unreadable: 1 });
  expect(report.aside).toBeDefined();
  const again = await startUploadServer(root);
  expect((await again.request(routes.snapshots)).json().items.map((item: { id: string }) => item.id)).toEqual([
    good.snapshotId,
  ]);
});
