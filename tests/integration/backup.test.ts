import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Digest } from '../../shared/digest/digest.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { backUp, type BackupReport } from '../../companion/collection/backup/backup.ts';
import { restoreBackup } from '../../companion/collection/backup/restore.ts';
import { writeIndexFiles } from '../../companion/collection/index-file.ts';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { backupReminder } from '../../companion/collection/records/backups.ts';
import { digestOf, keepFile, pageOf, somePicture, storedNames } from '../helpers/kept-files.ts';
import { runCli } from '../helpers/run-cli.ts';
import { compileShim, shimEnvironment } from '../helpers/sync-shim.ts';
import { readSyscallLog } from '../helpers/syscall-log.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer } from '../helpers/upload-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const none = (): void => undefined;
let clock = Date.now();
const options = (keep = 7) => ({ now: () => (clock += 1_000), keep, onLacking: none });

const make = (collection: Collection, dir: string, keep?: number): Promise<BackupReport> =>
  backUp(collection, dir, options(keep));

/** Restores to a new place and answers what a server there gives for every file of the rows. */
async function expectWhole(dir: string, version?: string): Promise<{ digests: Digest[]; root: string }> {
  const root = path.join(temporaryFolder(), 'restored');
  const report = await restoreBackup(dir, root, { now: Date.now, version, onLacking: none });
  expect(report.lacking).toBe(0);
  const collection = await openCollection(root);
  try {
    const digests = collection.db
      .raw<{ digest: Digest }>('SELECT digest FROM output UNION SELECT input FROM crawl')
      .map((row) => row.digest);
    for (const digest of digests) expect(digestOf(await buffer(collection.blobs.read(digest)))).toBe(digest);
    expect(collection.db.connection.pragma('integrity_check', { simple: true })).toBe('ok');
    return { digests, root };
  } finally {
    collection.close();
  }
}

it('brings everything back to another place, folders linked anew', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const page = pageOf('page', somePicture(), somePicture());
  const kept = await keepFile(server, page);
  await writeIndexFiles(collection, kept.snapshotId);
  fs.writeFileSync(collection.layout.settings(), 'TIMEOUT = 30\n');
  fs.mkdirSync(path.join(collection.layout.plugins(), 'mine'), { recursive: true });
  fs.writeFileSync(path.join(collection.layout.plugins(), 'mine', 'config.json'), '{}');
  const dir = path.join(temporaryFolder(), 'backup');
  const before = (await server.request(routes.snapshot(kept.snapshotId))).json();
  await make(collection, dir);
  const { root } = await expectWhole(dir);
  expect(fs.readFileSync(path.join(root, 'holdfast.toml'), 'utf8')).toBe('TIMEOUT = 30\n');
  expect(fs.readFileSync(path.join(root, 'plugins', 'mine', 'config.json'), 'utf8')).toBe('{}');
  const again = await startUploadServer(root);
  expect((await again.request(routes.snapshot(kept.snapshotId))).json()).toEqual(before);
  const folder = path.join(root, path.relative(collection.root, kept.folder));
  expect(fs.readdirSync(folder).sort()).toEqual(fs.readdirSync(kept.folder).sort());
  const skeleton = path.join('chrome_extension_singlefile', 'singlefile.html');
  expect(fs.readFileSync(path.join(folder, skeleton)).equals(fs.readFileSync(path.join(kept.folder, skeleton)))).toBe(
    true,
  );
  expect((await runCli(root, ['verify'])).code).toBe(0);
});

it('copies only what is new, keeps dated versions, and drops bytes only old ones had', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const dir = path.join(temporaryFolder(), 'backup');
  const first = await keepFile(server, somePicture(10_000), 'a.bin');
  const one = await make(collection, dir);
  expect(await make(collection, dir)).toMatchObject({ blobs: 0, bytes: 0 });
  await keepFile(server, somePicture(2_000), 'b.bin');
  const three = await make(collection, dir);
  expect(three).toMatchObject({ blobs: 1, bytes: 2_000, lacking: 0 });
  expect((await expectWhole(dir, one.version)).digests).toHaveLength(2);
  expect((await expectWhole(dir)).digests).toHaveLength(3);
  await collection.db.write(() => collection.db.raw('DELETE FROM snapshot WHERE id = ?', [first.snapshotId]));
  expect(await make(collection, dir, 1)).toMatchObject({ removedVersions: 3 });
  const left = storedNames(path.join(dir, 'blobs'));
  expect(left).not.toContain(first.digest.slice(7));
  expect((await expectWhole(dir)).digests).toHaveLength(2);
});

it('is consistent while files come in', async () => {
  const server = await startUploadServer(temporaryFolder());
  const dir = path.join(temporaryFolder(), 'backup');
  for (let count = 0; count < 5; count += 1) await keepFile(server, somePicture(50_000), `${count}.bin`);
  let isOver = false;
  let kept = 0;
  const load = (async () => {
    for (; !isOver; kept += 1) await keepFile(server, pageOf(`load ${kept}`, randomBytes(20_000)));
  })();
  await make(server.collection, dir);
  await waitUntil('more files came in', () => kept >= 3 || undefined);
  await make(server.collection, dir);
  isOver = true;
  await load;
  // Five files, the text of their crawls, and what came in.
  expect((await expectWhole(dir)).digests.length).toBeGreaterThanOrEqual(5 + 1 + 3);
});

it('names bytes that are damaged or missing, keeps the rest, and never takes damage over', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const good = await keepFile(server, somePicture(500), 'good.bin');
  const bad = await keepFile(server, somePicture(500), 'bad.bin');
  const gone = await keepFile(server, somePicture(500), 'gone.bin');
  fs.chmodSync(collection.layout.blob(bad.digest), 0o644);
  fs.writeFileSync(collection.layout.blob(bad.digest), 'x');
  fs.rmSync(collection.layout.blob(gone.digest));
  const dir = path.join(temporaryFolder(), 'backup');
  const outcome = await runCli(collection.root, ['backup', dir]);
  expect(outcome.code).toBe(1);
  expect(outcome.lines.sort()).toEqual([`damaged    ${bad.digest}`, `missing    ${gone.digest}`]);
  const stored = storedNames(path.join(dir, 'blobs'));
  expect(stored).toContain(good.digest.slice(7));
  expect(stored).not.toContain(bad.digest.slice(7));
});

it('refuses its own folder, a folder of others, and to write over anything', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const inside = await runCli(collection.root, ['backup', path.join(collection.root, 'backup')]);
  expect(inside.code).toBe(2);
  expect(inside.stderr).toContain("cannot lie in the collection's own folder");
  const full = temporaryFolder();
  fs.writeFileSync(path.join(full, 'mine.txt'), 'mine');
  expect((await runCli(collection.root, ['backup', full])).stderr).toContain('neither empty nor a backup');
  const dir = path.join(temporaryFolder(), 'backup');
  await make(collection, dir);
  const other = await openCollection(temporaryFolder());
  await expect(make(other, dir)).rejects.toThrow('backups of another collection');
  other.close();
  const over = await runCli(collection.root, ['restore', dir]);
  expect(over.code).toBe(1);
  expect(over.stderr).toContain('is not empty');
  expect(fs.readFileSync(path.join(full, 'mine.txt'), 'utf8')).toBe('mine');
});

it('reminds when there was none for 30 days, and says so no longer after one', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const DAY_MS = 24 * 3600_000;
  expect(backupReminder(collection.db, Date.now())).toBeUndefined();
  expect(backupReminder(collection.db, Date.now() + 31 * DAY_MS)).toContain('no backup of this collection yet');
  await collection.db.write(() => collection.db.raw('UPDATE user SET created_at = 0'));
  expect((await server.request(routes.status)).json().backup_reminder).toContain('holdfast backup');
  expect((await runCli(collection.root, ['status'])).stdout).toContain('There is no backup');
  expect((await runCli(collection.root, ['doctor'])).stdout).toContain('There is no backup');
  const dir = path.join(temporaryFolder(), 'backup');
  expect((await runCli(collection.root, ['backup', dir])).code).toBe(0);
  expect((await server.request(routes.status)).json().backup_reminder).toBeNull();
  expect(backupReminder(collection.db, Date.now() + 31 * DAY_MS)).toContain('The last backup is 31 days old');
});

const shim = compileShim();

describe.skipIf('missing' in shim)(`a backup that is cut off (${'missing' in shim ? shim.missing : 'shim'})`, () => {
  it('at any point leaves the last good version, and the next backup completes', { timeout: 120_000 }, async () => {
    const server = await startUploadServer(temporaryFolder());
    const { collection } = server;
    await keepFile(server, pageOf('first', somePicture()));
    const dir = path.join(temporaryFolder(), 'backup');
    const good = await make(collection, dir);
    await keepFile(server, pageOf('second', somePicture(), somePicture()));
    const start = fs.mkdtempSync(path.join(temporaryFolder(), 'start-'));
    fs.cpSync(dir, start, { recursive: true });
    const file = 'file' in shim ? shim.file : '';
    const log = path.join(temporaryFolder(), 'calls');
    const whole = await runCli(collection.root, ['backup', dir], shimEnvironment(file, { root: dir, log }));
    expect(whole.code, whole.stderr).toBe(0);
    const calls = readSyscallLog(log, whole.pid).filter((call) => call.number > 0).length;
    expect(calls).toBeGreaterThan(20);
    const stride = Math.ceil(calls / 8);
    for (let killAt = 1; killAt <= calls; killAt += stride) {
      fs.rmSync(dir, { recursive: true });
      fs.cpSync(start, dir, { recursive: true });
      const cut = await runCli(collection.root, ['backup', dir], shimEnvironment(file, { root: dir, killAt }));
      expect(cut.signal, `killed at ${killAt}`).toBe('SIGKILL');
      await expectWhole(dir, good.version);
    }
    expect((await runCli(collection.root, ['backup', dir])).code).toBe(0);
    expect((await expectWhole(dir)).digests).toHaveLength(3);
    expect(fs.readdirSync(path.join(dir, 'versions')).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });
});
