import Database from 'better-sqlite3';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { buffer } from 'node:stream/consumers';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { digestHex, type Digest } from '../../shared/digest/digest.ts';
import { limits } from '../../shared/limits.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { pruneBlobs } from '../../companion/collection/blobs/prune.ts';
import { submitCrawl } from '../../companion/collection/submit-crawl.ts';
import { saveRecord, type UploadRecord } from '../../companion/uploads/upload-record.ts';
import { ageFiles, digestOf, keepFile, pageOf, somePicture, storedNames } from '../helpers/kept-files.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { chunkAddress, startUploadServer, type UploadServer } from '../helpers/upload-server.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const DAY_MS = limits.blobUnreferencedMs;
const tomorrow = () => ({ now: Date.now() + DAY_MS + 60_000 });
const octets = { 'content-type': 'application/octet-stream' };

const replace = (server: UploadServer, resultId: string, bytes: Buffer, name = 'singlefile.html') =>
  server.request(chunkAddress(resultId, { path: name, offset: 0, total: bytes.length }), {
    method: 'PATCH',
    headers: octets,
    body: bytes,
  });

it('removes what no row refers to after a day, with the parts only it had, and nothing else', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const [shared, own] = [somePicture(), somePicture()];
  const gone = pageOf('gone', shared, own);
  const stays = pageOf('stays', shared);
  const plain = Buffer.from('<!doctype html><p>no parts');
  const first = await keepFile(server, gone);
  const second = await keepFile(server, stays);
  await keepFile(server, plain);
  const crawl = await submitCrawl(collection, {
    text: 'https://example.org/\n',
    config: { PARSER: 'url_list' },
    maxDepth: 0,
    tags: [],
    label: '',
    permissions: 'private',
  });
  expect((await replace(server, first.resultId, Buffer.from('<!doctype html><p>new'))).status).toBe(200);
  const before = storedNames(collection.layout.blobs());

  expect(await pruneBlobs(collection, { now: Date.now() })).toEqual({ blobs: 0, bytes: 0 });
  expect(storedNames(collection.layout.blobs())).toEqual(before);

  const pruned = await pruneBlobs(collection, tomorrow());
  const after = storedNames(collection.layout.blobs());
  const missing = before.filter((name) => !after.includes(name));
  // Its side record, its skeleton, and the picture that only it had.
  expect(missing).toHaveLength(3);
  expect(missing).toContain(`${digestHex(first.digest)}.parts`);
  expect(missing).toContain(digestHex(digestOf(own)));
  expect(pruned.blobs).toBe(3);
  expect(pruned.bytes).toBeGreaterThan(own.length);
  expect((await buffer(collection.blobs.read(second.digest))).equals(stays)).toBe(true);
  expect(after).toContain(digestHex(digestOf(plain)));
  expect(after).toContain(crawl.input.slice(7));
  const rows = collection.db.raw<{ digest: string }>('SELECT digest FROM blob');
  expect(rows.filter(({ digest }) => missing.includes(digest.slice(7)))).toEqual([]);
  expect(await pruneBlobs(collection, tomorrow())).toEqual({ blobs: 0, bytes: 0 });
});

it('spares an upload that is complete but whose rows a crash prevented, however old', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const kept = await keepFile(server, Buffer.from('<!doctype html><p>here'));
  const bytes = randomBytes(2_000);
  const { digest } = await collection.gate.promoteBytes(bytes);
  const folder = collection.layout.upload('crashed');
  fs.mkdirSync(folder);
  const file = { part: 'part', path: 'late.bin', size: bytes.length, digest, mimetype: 'application/octet-stream' };
  await saveRecord(folder, {
    version: 1,
    result: kept.resultId,
    token: '',
    chunked: null,
    updated_at: Date.now(),
    completion: { changes: {}, files: [{ ...file, declared_type: '', upload: null }] },
  } as unknown as UploadRecord);
  await pruneBlobs(collection, tomorrow());
  expect(await collection.blobs.size(digest)).toBe(bytes.length);
});

it('sweeps what a crash left on its way into the store, and puts back what a prune had set aside', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const { layout } = collection;
  const page = Buffer.from('<!doctype html><p>aside');
  const kept = await keepFile(server, page);
  fs.mkdirSync(layout.blobStaging(), { recursive: true });
  fs.writeFileSync(path.join(layout.blobStaging(), 'half'), 'half a copy');
  const sideRecord = path.join(path.dirname(layout.blob(kept.digest)), `${digestHex(kept.digest)}.parts.x.tmp`);
  fs.writeFileSync(sideRecord, '{');
  fs.renameSync(layout.blob(kept.digest), layout.blobAside(digestHex(kept.digest)));
  await pruneBlobs(collection, tomorrow());
  expect(fs.readdirSync(layout.blobStaging())).toEqual([]);
  expect(fs.existsSync(sideRecord)).toBe(false);
  expect(fs.readFileSync(layout.blob(kept.digest)).equals(page)).toBe(true);
});

it('forgets rows whose bytes are gone already', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const kept = await keepFile(server, Buffer.from('<!doctype html><p>one'));
  await replace(server, kept.resultId, Buffer.from('<!doctype html><p>two'));
  fs.rmSync(collection.layout.blob(kept.digest));
  await pruneBlobs(collection, tomorrow());
  expect(collection.db.raw('SELECT 1 FROM blob WHERE digest = ?', [kept.digest])).toEqual([]);
});

it('stops between folders when it is no longer wanted', async () => {
  const server = await startUploadServer(temporaryFolder());
  const kept = await keepFile(server, Buffer.from('<!doctype html><p>one'));
  await replace(server, kept.resultId, Buffer.from('<!doctype html><p>two'));
  expect(await pruneBlobs(server.collection, { ...tomorrow(), isWanted: () => false })).toEqual({ blobs: 0, bytes: 0 });
  expect(await server.collection.blobs.size(kept.digest)).toBeDefined();
});

/** Starts a prune and stops it where the blob is away from its name and its references are not looked for yet. */
async function pruneHeldBeforeItsLook(server: UploadServer, digest: Digest) {
  const { collection } = server;
  const other = new Database(collection.layout.database());
  onTestFinished(() => void other.close());
  ageFiles(collection.layout.blobs(), DAY_MS * 2);
  other.exec('BEGIN IMMEDIATE');
  const pruned = pruneBlobs(collection, { now: Date.now() });
  await waitUntil(
    'the blob is set aside',
    () => fs.existsSync(collection.layout.blobAside(digestHex(digest))) || undefined,
  );
  return { other, pruned };
}

it('puts back what somebody came to refer to while it was set aside', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const holder = await keepFile(server, Buffer.from('<!doctype html><p>holder'));
  const bytes = randomBytes(3_000);
  const { digest } = await collection.gate.promoteBytes(bytes);
  const { other, pruned } = await pruneHeldBeforeItsLook(server, digest);
  expect(fs.existsSync(collection.layout.blob(digest))).toBe(false);
  other
    .prepare(`INSERT INTO output (result_id, path, size, mimetype, digest, created_at) VALUES (?, 'a', 3000, '', ?, 0)`)
    .run(holder.resultId, digest);
  other.exec('COMMIT');
  expect(await pruned).toEqual({ blobs: 0, bytes: 0 });
  expect(fs.readFileSync(collection.layout.blob(digest)).equals(bytes)).toBe(true);
});

it('leaves alone the copy that the gate places while the old one is set aside', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const bytes = randomBytes(3_000);
  const { digest } = await collection.gate.promoteBytes(bytes);
  const { other, pruned } = await pruneHeldBeforeItsLook(server, digest);
  await collection.gate.promoteBytes(bytes);
  other.exec('COMMIT');
  expect(await pruned).toEqual({ blobs: 1, bytes: 3_000 });
  expect(fs.readFileSync(collection.layout.blob(digest)).equals(bytes)).toBe(true);
});

it('counts the age of bytes from when they were placed, however long they were on their way', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const bytes = randomBytes(3_000);
  const part = path.join(collection.root, 'old part');
  fs.writeFileSync(part, bytes);
  fs.utimesSync(part, 1, 1);
  await collection.gate.promoteStaged(part, digestOf(bytes), { mimetype: 'image/png', path: 'a.png' });
  expect(await pruneBlobs(collection, { now: Date.now() })).toEqual({ blobs: 0, bytes: 0 });
  expect(await collection.blobs.size(digestOf(bytes))).toBe(3_000);
});

it('never takes bytes from under an upload or an attachment at the same moment', { timeout: 120_000 }, async () => {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const page = pageOf('contested', somePicture(), somePicture());
  const digest = digestOf(page);
  const holder = await keepFile(server, page);
  const taker = await keepFile(server, Buffer.from('<!doctype html><p>taker'), 'other.html');
  const outcomes = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    // Nobody refers to the page any more, and its bytes are old: from here on everybody acts at once.
    await replace(server, holder.resultId, Buffer.from(`<!doctype html><p>round ${round}`));
    await collection.db.write(() =>
      collection.db.raw(`DELETE FROM output WHERE digest = ? OR path = 'attached.html'`, [digest]),
    );
    ageFiles(collection.layout.blobs(), DAY_MS * 2);
    await collection.db.write(() => collection.db.raw(`UPDATE blob SET created_at = 0`));
    if (round % 2 === 0) await keepOnlyForKnowledge(collection, taker.resultId, digest, page.length);
    const attach = (): Promise<string> =>
      server
        .request(routes.resultFiles(taker.resultId), {
          method: 'POST',
          body: JSON.stringify({ path: 'attached.html', digest, status: 'succeeded' }),
        })
        .then((answer) => `attach ${answer.status}`);
    const upload = (): Promise<string> =>
      replace(server, holder.resultId, page).then((answer) => `upload ${answer.status}`);
    const prune = pruneBlobs(collection, { now: Date.now() });
    const dropKnowledge = collection.db.write(() =>
      collection.db.raw(`DELETE FROM output WHERE path = 'knowledge.html'`),
    );
    const answers = await Promise.all(round % 2 === 0 ? [attach(), prune, dropKnowledge] : [upload(), prune]);
    outcomes.add(String(answers[0]));
    for (const { digest: wanted } of collection.db.raw<{ digest: typeof digest }>('SELECT digest FROM output'))
      expect(digestOf(await buffer(collection.blobs.read(wanted))), `round ${round}: ${answers[0]}`).toBe(wanted);
  }
  expect(outcomes).toContain('upload 200');
  expect([...outcomes].filter((outcome) => !['upload 200', 'attach 200', 'attach 409'].includes(outcome))).toEqual([]);
});

/** A row that makes the bytes known to their owner until it is taken away. */
async function keepOnlyForKnowledge(
  { db }: UploadServer['collection'],
  resultId: string,
  digest: string,
  size: number,
): Promise<void> {
  await db.write(() =>
    db.raw(
      `INSERT INTO output (result_id, path, size, mimetype, digest, created_at)
       VALUES (?, 'knowledge.html', ?, 'text/html', ?, 0)`,
      [resultId, size, digest],
    ),
  );
}
