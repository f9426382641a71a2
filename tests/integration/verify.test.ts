import Database from 'better-sqlite3';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { digestHex } from '../../shared/digest/digest.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { writeIndexFiles } from '../../companion/collection/index-file.ts';
import { digestOf, keepFile, pageOf, somePicture, type KeptFile } from '../helpers/kept-files.ts';
import { runCli } from '../helpers/run-cli.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

const plugin = 'chrome_extension_singlefile';

async function collectionWith(server: UploadServer, files: readonly [string, Buffer][]): Promise<KeptFile[]> {
  const kept: KeptFile[] = [];
  for (const [name, bytes] of files) {
    const file = await keepFile(server, bytes, name);
    await writeIndexFiles(server.collection, file.snapshotId);
    kept.push(file);
  }
  return kept;
}

/** One bit of one byte, as a disk does it: the file is read-only and keeps its name, size and time. */
function flipBit(file: string): void {
  const { atime, mtime, mode } = fs.statSync(file);
  const bytes = fs.readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  fs.chmodSync(file, 0o644);
  const handle = fs.openSync(file, 'r+');
  fs.writeSync(handle, bytes);
  fs.closeSync(handle);
  fs.chmodSync(file, mode);
  fs.utimesSync(file, atime, mtime);
}

const below = (server: UploadServer, file: string): string =>
  path.relative(server.collection.root, file).split(path.sep).join('/');

it('finds nothing wrong with a sound collection', async () => {
  const server = await startUploadServer(temporaryFolder());
  await collectionWith(server, [
    ['page.html', pageOf('sound', somePicture())],
    ['plain.bin', somePicture(100)],
  ]);
  const outcome = await runCli(server.collection.root, ['verify']);
  expect(outcome.lines).toEqual([]);
  expect(outcome).toMatchObject({ code: 0 });
  expect(outcome.stderr).toMatch(/files read again \(.*\), all as they were kept\./);
});

it('names each missing, changed and unknown file, and nothing else', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { layout } = server.collection;
  const picture = somePicture();
  const [page, changed, missing, unlinked, forged, sound] = await collectionWith(server, [
    ['page.html', pageOf('joined', picture)],
    ['changed.bin', somePicture(100)],
    ['missing.bin', somePicture(101)],
    ['unlinked.bin', somePicture(102)],
    ['forged.bin', somePicture(103)],
    ['sound.html', pageOf('sound', somePicture())],
  ]);
  flipBit(layout.blob(digestOf(picture)));
  flipBit(layout.blob(changed!.digest));
  fs.rmSync(layout.blob(missing!.digest));
  const link = path.join(unlinked!.folder, plugin, 'unlinked.bin');
  fs.rmSync(link);
  const replaced = path.join(forged!.folder, plugin, 'forged.bin');
  fs.rmSync(replaced);
  fs.writeFileSync(replaced, 'other bytes');
  fs.writeFileSync(path.join(sound!.folder, plugin, 'stranger.txt'), 'x');
  fs.writeFileSync(path.join(layout.blobs(), 'notes.txt'), 'x');
  fs.appendFileSync(path.join(sound!.folder, 'manifest-sha256.txt'), 'x');
  const foreign = path.join(path.dirname(sound!.folder), 'not-a-snapshot');
  fs.mkdirSync(foreign);

  const outcome = await runCli(server.collection.root, ['verify', '--json']);
  expect(outcome.code).toBe(1);
  const found = outcome.lines.map((line) => JSON.parse(line) as { kind: string; path: string });
  const wanted = [
    ['changed', layout.blobRecipe(page!.digest)],
    ['changed', layout.blob(digestOf(picture))],
    ['changed', layout.blob(changed!.digest)],
    ['missing', layout.blob(missing!.digest)],
    ['missing', link],
    ['changed', replaced],
    ['unknown', path.join(sound!.folder, plugin, 'stranger.txt')],
    ['unknown', path.join(layout.blobs(), 'notes.txt')],
    ['changed', path.join(sound!.folder, 'manifest-sha256.txt')],
    ['unknown', foreign],
  ].map(([kind, file]) => ({ kind, path: below(server, file!) }));
  const order = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);
  expect(found.sort(order)).toEqual(wanted.sort(order));
  const rows = server.collection.db.raw<{ n: number }>('SELECT count(*) AS n FROM blob WHERE damage IS NOT NULL');
  expect(rows[0]!.n).toBe(4);
});

it('a damaged side record is one finding, and the page is not served wrong', async () => {
  const server = await startUploadServer(temporaryFolder());
  const [page] = await collectionWith(server, [['page.html', pageOf('joined', somePicture())]]);
  const sideRecord = server.collection.layout.blobRecipe(page!.digest);
  fs.writeFileSync(sideRecord, fs.readFileSync(sideRecord, 'utf8').slice(0, -20));
  expect((await runCli(server.collection.root, ['verify'])).lines).toEqual([`changed    ${below(server, sideRecord)}`]);
  expect((await server.request(`${routes.result(page!.resultId)}/file/page.html`)).status).not.toBe(200);
});

it('says of every file in the folders what sha256sum says', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { layout, root } = server.collection;
  const pictures = [somePicture(), somePicture(), somePicture()];
  const kept = await collectionWith(server, [
    ['a.html', pageOf('a', pictures[0]!, pictures[1]!)],
    ['b.html', pageOf('b', pictures[1]!, pictures[2]!)],
    ['c.bin', somePicture(500)],
    ['d.bin', somePicture(500)],
  ]);
  flipBit(layout.blob(digestOf(pictures[1]!)));
  flipBit(layout.blob(kept[3]!.digest));
  const failed = kept.flatMap(({ folder }) => {
    const { stdout } = spawnSync('sha256sum', ['-c', 'manifest-sha256.txt'], { cwd: folder, encoding: 'utf8' });
    return stdout.split('\n').filter((line) => line.endsWith(': FAILED'));
  });
  // The gate placed the shared picture anew with the second page: only that folder shows the damaged file.
  const byBlob = new Set(failed.map((line) => /x([0-9a-f]{64})/.exec(line)?.[1] ?? digestHex(kept[3]!.digest)));
  const { lines } = await runCli(root, ['verify', '--json']);
  const changed = lines
    .map((line) => (JSON.parse(line) as { path: string }).path)
    .filter((name) => !name.endsWith('.parts'))
    .map((name) => path.basename(name));
  expect(new Set(changed)).toEqual(byBlob);
  expect(failed).toHaveLength(2);
});

it('goes on in the next run with what was not checked for longest', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { db, root } = server.collection;
  const [first, second] = await collectionWith(server, [
    ['a.bin', somePicture(100)],
    ['b.bin', somePicture(100)],
  ]);
  await db.write(() => db.raw(`UPDATE blob SET checked_at = 5 WHERE digest = ?`, [first!.digest]));
  const before = Date.now();
  const outcome = await runCli(root, ['verify', '--minutes', '1']);
  expect(outcome.code, outcome.stderr).toBe(0);
  const times = db.raw<{ checked_at: number }>('SELECT checked_at FROM blob');
  expect(times.every((row) => row.checked_at >= before)).toBe(true);
  flipBit(server.collection.layout.blob(second!.digest));
  expect((await runCli(root, ['verify', '--sample', '100%'])).lines).toEqual([
    `changed    ${below(server, server.collection.layout.blob(second!.digest))}`,
  ]);
  expect((await runCli(root, ['verify', '--minutes', '0.000001'])).stderr).toContain('Time is up');
  expect((await runCli(root, ['verify', '--sample', 'half'])).code).toBe(2);
});

it("finds damage in the rows' pages before it opens anything", async () => {
  const server = await startUploadServer(temporaryFolder());
  await collectionWith(server, [['a.bin', somePicture(100)]]);
  const { root, layout } = server.collection;
  await server.stop();
  const connection = new Database(layout.database());
  connection.pragma('wal_checkpoint(TRUNCATE)');
  const pages = connection.pragma('page_count', { simple: true }) as number;
  const pageSize = connection.pragma('page_size', { simple: true }) as number;
  connection.close();
  const handle = fs.openSync(layout.database(), 'r+');
  for (let page = 3; page < pages; page += 1) fs.writeSync(handle, Buffer.alloc(64, 0xff), 0, 64, page * pageSize + 8);
  fs.closeSync(handle);
  const outcome = await runCli(root, ['verify']);
  expect(outcome.code).toBe(1);
  expect(outcome.stdout).toMatch(/^damaged +collection\.sqlite3: /);
  expect(outcome.stderr).toContain('holdfast restore');
});
