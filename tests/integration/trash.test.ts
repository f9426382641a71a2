import fs from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { pruneBlobs } from '../../companion/collection/blobs/prune.ts';
import { writeIndexFiles } from '../../companion/collection/index-file.ts';
import { findCrawl } from '../../companion/collection/records/crawls.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { purgeExpired } from '../../companion/collection/trash.ts';
import { ageFiles, keepFile, pageOf, somePicture, storedNames } from '../helpers/kept-files.ts';
import { runCli } from '../helpers/run-cli.ts';
import { compileShim, shimEnvironment, type ShimOptions } from '../helpers/sync-shim.ts';
import { readSyscallLog } from '../helpers/syscall-log.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

const trash = (server: UploadServer, id: string) => server.request(routes.snapshot(id), { method: 'DELETE' });
const restore = (server: UploadServer, id: string) => server.request(routes.restoreSnapshot(id), { method: 'POST' });
const empty = (server: UploadServer, dryRun: boolean) =>
  server.request(routes.emptyTrash, { method: 'POST', body: JSON.stringify({ dry_run: dryRun }) });
const later = (ms: number) => ({ now: Date.now() + ms });
const DAY_MS = 24 * 3600_000;

it('gives a deleted page back whole within 30 days', async () => {
  const server = await startUploadServer(temporaryFolder());
  const page = pageOf('back', somePicture());
  const kept = await keepFile(server, page);
  const before = (await server.request(routes.snapshot(kept.snapshotId))).json();
  expect((await trash(server, kept.snapshotId)).status).toBe(200);
  expect((await server.request(routes.snapshot(kept.snapshotId))).status).toBe(410);
  const listed = (await server.request(routes.trash)).json();
  expect(listed.items.map((item: { id: string }) => item.id)).toEqual([kept.snapshotId]);

  expect(await purgeExpired(server.collection, later(limits.trashMs - DAY_MS))).toBe(0);
  await pruneBlobs(server.collection, later(limits.trashMs - DAY_MS));
  const back = await restore(server, kept.snapshotId);
  expect(back.status).toBe(200);
  expect(back.json().archiveresults).toEqual(before.archiveresults);
  expect((await server.request(`${routes.result(kept.resultId)}/file/singlefile.html`)).body.equals(page)).toBe(true);
  expect((await server.request(routes.trash)).json().items).toEqual([]);
  // Taken back, it stays.
  expect(await purgeExpired(server.collection, later(limits.trashMs * 2))).toBe(0);
});

it('deletes for good after 30 days: rows with a tombstone, folder, and only bytes nobody else has', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const shared = somePicture();
  const stays = pageOf('stays', shared);
  const gone = await keepFile(server, pageOf('gone', shared, somePicture()));
  const other = await keepFile(server, stays);
  await writeIndexFiles(collection, gone.snapshotId);
  await trash(server, gone.snapshotId);
  const before = storedNames(collection.layout.blobs());
  const future = later(limits.trashMs + DAY_MS);
  expect(await purgeExpired(collection, future)).toBe(1);
  expect(findSnapshot(collection.db, gone.snapshotId)).toBeUndefined();
  expect(fs.existsSync(gone.folder)).toBe(false);
  expect((await server.request(routes.snapshot(gone.snapshotId))).status).toBe(410);
  expect((await restore(server, gone.snapshotId)).status).toBe(410);
  expect((await pruneBlobs(collection, future)).blobs).toBe(3);
  expect(storedNames(collection.layout.blobs())).toHaveLength(before.length - 3);
  expect((await buffer(collection.blobs.read(other.digest))).equals(stays)).toBe(true);
  expect(fs.existsSync(path.join(other.folder, 'chrome_extension_singlefile', 'singlefile.html'))).toBe(true);
  expect(await purgeExpired(collection, future)).toBe(0);
});

it('says before what emptying frees, to the byte', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const shared = somePicture();
  const own = somePicture(7_000);
  const gone = await keepFile(server, pageOf('gone', shared, own));
  await keepFile(server, pageOf('stays', shared));
  const twice = Buffer.from('<!doctype html><p>in both');
  await keepFile(server, twice, 'a.html');
  const alsoGone = await keepFile(server, twice, 'b.html');
  await trash(server, gone.snapshotId);
  await trash(server, alsoGone.snapshotId);
  const told = (await empty(server, true)).json();
  expect(told.pages).toBe(2);
  expect((await server.request(routes.trash)).json().items).toHaveLength(2);

  const sideRecordBytes = fs.statSync(collection.layout.blobRecipe(gone.digest)).size;
  expect((await empty(server, false)).json()).toEqual(told);
  expect(await purgeExpired(collection, { now: Date.now() })).toBe(2);
  const freed = await pruneBlobs(collection, later(2 * DAY_MS));
  expect(freed.bytes - sideRecordBytes).toBe(told.freeable_bytes);
  expect(told.freeable_bytes).toBeGreaterThan(own.length);
});

it('a folder that a crash left behind goes with the next pass', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const gone = await keepFile(server, pageOf('gone', somePicture()));
  await trash(server, gone.snapshotId);
  await purgeExpired(collection, later(limits.trashMs + DAY_MS));
  fs.mkdirSync(gone.folder, { recursive: true });
  await collection.db.write(() =>
    collection.db.raw('UPDATE tombstone SET folder = ? WHERE id = ?', [
      path.relative(collection.root, gone.folder),
      gone.snapshotId,
    ]),
  );
  await purgeExpired(collection, { now: Date.now() });
  expect(fs.existsSync(gone.folder)).toBe(false);
});

it('leaves alone what somebody works on', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const gone = await keepFile(server, pageOf('gone', somePicture()));
  await trash(server, gone.snapshotId);
  await collection.db.write(() =>
    collection.db.raw(`UPDATE snapshot SET lease_owner = 'x' WHERE id = ?`, [gone.snapshotId]),
  );
  expect(await purgeExpired(collection, later(limits.trashMs + DAY_MS))).toBe(0);
  expect(findSnapshot(collection.db, gone.snapshotId)).toBeDefined();
});

it('retention: a page goes when its time is over and it is sealed, not before', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const body = JSON.stringify({ urls: ['https://example.org/'], delete_after: '7d' });
  const crawlId = (await server.request(routes.cliAdd, { method: 'POST', body })).json().result.crawl_id as string;
  expect(findCrawl(collection.db, crawlId)!.delete_after).toBe(7 * DAY_MS);
  const made = await server.request(routes.snapshots, {
    method: 'POST',
    body: JSON.stringify({ url: 'https://example.org/', crawl_id: crawlId }),
  });
  const id = made.json().id as string;
  const row = findSnapshot(collection.db, id)!;
  expect(row.delete_at).toBe(row.created_at + 7 * DAY_MS);
  expect(await purgeExpired(collection, later(8 * DAY_MS))).toBe(0);
  await collection.db.write(() =>
    collection.db.raw(`UPDATE snapshot SET status = 'sealed', due_at = NULL WHERE id = ?`, [id]),
  );
  expect(await purgeExpired(collection, later(6 * DAY_MS))).toBe(0);
  expect(await purgeExpired(collection, later(8 * DAY_MS))).toBe(1);
  const refused = await server.request(routes.cliAdd, {
    method: 'POST',
    body: JSON.stringify({ urls: ['https://example.org/'], delete_after: 'soon' }),
  });
  expect(refused.status).toBe(400);
  expect(refused.body.toString()).toContain('DELETE_AFTER takes a number and a unit');
});

it('the command line removes, lists, takes back and empties', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { root } = server.collection;
  const first = await keepFile(server, pageOf('first', somePicture()));
  const second = await keepFile(server, pageOf('second', somePicture()));
  expect((await runCli(root, ['remove', 'https://example.org/page'])).lines.sort()).toEqual(
    [first.snapshotId, second.snapshotId].sort(),
  );
  const listed = await runCli(root, ['trash']);
  expect(listed.stdout).toContain(first.snapshotId);
  expect(listed.stderr).toMatch(/2 pages in the trash; deleting them for good frees \d+ KB\./);
  expect((await runCli(root, ['trash', '--restore', first.snapshotId])).code).toBe(0);
  expect((await runCli(root, ['trash', '--empty', '--dry-run'])).stderr).toMatch(/1 page in the trash/);
  expect(findSnapshot(server.collection.db, second.snapshotId)).toBeDefined();
  expect((await runCli(root, ['trash', '--empty'])).stderr).toMatch(/1 page deleted for good/);
  expect(findSnapshot(server.collection.db, second.snapshotId)).toBeUndefined();
  expect(findSnapshot(server.collection.db, first.snapshotId)!.trashed_at).toBeNull();
  const missing = await runCli(root, ['remove', 'https://nowhere.example/']);
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain('No page has the address');
});

const shim = compileShim();

describe.skipIf('missing' in shim)(`emptying that is cut off (${'missing' in shim ? shim.missing : 'shim'})`, () => {
  const watched = (root: string, options: Omit<ShimOptions, 'root'>) =>
    shimEnvironment('file' in shim ? shim.file : '', { root, ...options });

  /** One page in the trash and one that stays share a picture; all bytes are old enough to go. */
  async function filled(): Promise<{ root: string; gone: string; stays: string; page: Buffer }> {
    const server = await startUploadServer(temporaryFolder());
    const shared = somePicture();
    const page = pageOf('stays', shared);
    const gone = await keepFile(server, pageOf('gone', shared, somePicture()));
    const stays = await keepFile(server, page);
    for (const { snapshotId } of [gone, stays]) await writeIndexFiles(server.collection, snapshotId);
    await trash(server, gone.snapshotId);
    ageFiles(server.collection.layout.blobs(), 2 * DAY_MS);
    await server.collection.db.write(() => server.collection.db.raw('UPDATE blob SET created_at = 0'));
    await server.stop();
    return { root: server.collection.root, gone: gone.snapshotId, stays: stays.resultId, page };
  }

  it('at any point loses nothing else, and the next time ends it', { timeout: 120_000 }, async () => {
    const whole = await filled();
    const log = path.join(temporaryFolder(), 'calls');
    const { pid } = await runCli(whole.root, ['trash', '--empty'], watched(whole.root, { log }));
    const calls = readSyscallLog(log, pid).filter((call) => call.number > 0).length;
    expect(calls).toBeGreaterThan(10);
    const stride = Math.ceil(calls / 8);
    for (let killAt = 1; killAt <= calls; killAt += stride) {
      const { root, gone, stays, page } = await filled();
      const cut = await runCli(root, ['trash', '--empty'], watched(root, { killAt }));
      expect(cut.signal, `killed at ${killAt}`).toBe('SIGKILL');
      expect((await runCli(root, ['trash', '--empty'])).code).toBe(0);
      const sound = await runCli(root, ['verify']);
      expect(sound.lines, `killed at ${killAt}`).toEqual([]);
      const again = await startUploadServer(root);
      expect((await again.request(routes.snapshot(gone))).status).toBe(410);
      expect((await again.request(`${routes.result(stays)}/file/singlefile.html`)).body.equals(page)).toBe(true);
      await again.stop();
    }
  });
});
