import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { writeIndexFiles } from '../../companion/collection/index-file.ts';
import { folderFacts } from '../../companion/collection/links.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { layOutSiblings } from '../../companion/runner/run-folder.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress, startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

const octets = { 'content-type': 'application/octet-stream' };
const plugin = 'chrome_extension_singlefile';

const digestOf = (bytes: Uint8Array): Digest => digestFromHex(createHash('sha256').update(bytes).digest('hex'));
const picture = randomBytes(40_000);
const font = randomBytes(80_000);

function pageWith(text: string): Buffer {
  const embedded = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
  return Buffer.from(
    `<!doctype html><title>${text}</title><style>@font-face{src:url(${embedded('font/woff2', font)})}</style>` +
      `<p>${text}</p><img src="${embedded('image/png', picture)}">` +
      `<iframe srcdoc="<img src=&quot;${embedded('image/png', picture)}&quot;>"></iframe>`,
  );
}

async function keep(server: UploadServer, page: Buffer, name = 'singlefile.html') {
  const ids = await announceResult(server.collection, server.request);
  const address = chunkAddress(ids.resultId, { path: name, offset: 0, total: page.length, sha256: digestOf(page) });
  const send = () => server.request(address, { method: 'PATCH', headers: octets, body: page });
  const answer = await send();
  expect(answer.status, answer.body.toString()).toBe(200);
  const snapshot = findSnapshot(server.collection.db, ids.snapshotId)!;
  const folder = server.collection.layout.snapshot(folderFacts(server.collection, snapshot));
  return { ...ids, folder, send };
}

function bytesBelow(folder: string): number {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + fs.statSync(path.join(file.parentPath, file.name)).size, 0);
}

it('keeps what two captures of a page share once, and gives each back byte for byte', async () => {
  const server = await startUploadServer(temporaryFolder());
  const pages = [pageWith('first'), pageWith('second')];
  const kept = [await keep(server, pages[0]!), await keep(server, pages[1]!)];
  const stored = bytesBelow(server.collection.layout.blobs());
  expect(stored).toBeLessThan(picture.length + font.length + 10_000);
  expect(pages[0]!.length + pages[1]!.length).toBeGreaterThan(400_000);
  for (const [index, { resultId }] of kept.entries()) {
    const page = pages[index]!;
    const address = `${routes.result(resultId)}/file/singlefile.html`;
    const whole = await server.request(address);
    expect(whole.body.equals(page)).toBe(true);
    expect(whole.headers.etag).toBe(`"${digestOf(page)}"`);
    expect(whole.headers['content-length']).toBe(String(page.length));
    const range = await server.request(address, { headers: { range: 'bytes=150-60001' } });
    expect(range.status).toBe(206);
    expect(range.body.equals(page.subarray(150, 60_002))).toBe(true);
  }
});

it('answers a chunk that is sent again after a lost answer as if the page were whole', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { send } = await keep(server, pageWith('once'));
  expect((await send()).status).toBe(200);
});

it('shows the page in its folder with its parts beside it, as sha256sum checks', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { snapshotId, folder } = await keep(server, pageWith('folder'));
  await writeIndexFiles(server.collection, snapshotId);
  const shown = fs.readFileSync(path.join(folder, plugin, 'singlefile.html'), 'utf8');
  expect(shown).toContain('<p>folder</p>');
  expect(shown).not.toContain('base64');
  const image = /<img src="([^"]+)"/.exec(shown)![1]!;
  expect(fs.readFileSync(path.join(folder, plugin, image)).equals(picture)).toBe(true);
  const checked = execFileSync('sha256sum', ['-c', 'manifest-sha256.txt'], { cwd: folder, encoding: 'utf8' });
  const shownNames = checked
    .trim()
    .replaceAll(/\/parts-\w{8}\/x\w{64}/g, '/PARTS/HASH')
    .split('\n');
  expect(shownNames.sort()).toEqual([
    'chrome_extension_singlefile/PARTS/HASH.png: OK',
    'chrome_extension_singlefile/PARTS/HASH.woff2: OK',
    'chrome_extension_singlefile/singlefile.html: OK',
  ]);
});

it('takes the parts of a page out of the folder when its path got other bytes', async () => {
  const server = await startUploadServer(temporaryFolder());
  const { snapshotId, resultId, folder } = await keep(server, pageWith('before'));
  const next = pageWith('after');
  const address = chunkAddress(resultId, { path: 'singlefile.html', offset: 0, total: next.length });
  expect((await server.request(address, { method: 'PATCH', headers: octets, body: next })).status).toBe(200);
  await writeIndexFiles(server.collection, snapshotId);
  const parts = fs
    .readdirSync(path.join(folder, plugin), { recursive: true })
    .filter((name) => /x\w{64}/.test(String(name)));
  expect(parts).toHaveLength(2);
  execFileSync('sha256sum', ['-c', '--status', 'manifest-sha256.txt'], { cwd: folder });
});

it('gives hooks the joined page', async () => {
  const server = await startUploadServer(temporaryFolder());
  const page = pageWith('hook');
  const { snapshotId } = await keep(server, page);
  const run = temporaryFolder();
  await layOutSiblings(server.collection, snapshotId, run, new Set());
  expect(fs.readFileSync(path.join(run, 'singlefile', 'singlefile.html')).equals(page)).toBe(true);
});

it.each([
  ['text that begins like HTML', 'page.txt', pageWith('text')],
  ['a page without parts', 'plain.html', Buffer.from('<!doctype html><p>plain</p>')],
  [
    'a page whose base64 is written otherwise',
    'odd.html',
    Buffer.from(`<!doctype html><img src="data:image/png;base64,${'QUJD'.repeat(900)}QR==">`),
  ],
])('stores whole: %s', async (_what, name, page) => {
  const server = await startUploadServer(temporaryFolder());
  await keep(server, page, name);
  expect(fs.readFileSync(server.collection.layout.blob(digestOf(page))).equals(page)).toBe(true);
});
