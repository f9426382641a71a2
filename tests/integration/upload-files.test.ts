import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import { findOutput, findResult } from '../../companion/collection/records/results.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import type { UploadLimits } from '../../companion/uploads/room.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import {
  announceResult,
  chunkAddress,
  formBody,
  startUploadServer,
  type UploadServer,
} from '../helpers/upload-server.ts';

const octets = { 'content-type': 'application/octet-stream' };

async function setUp(limits: Partial<UploadLimits> = {}) {
  const server = await startUploadServer(temporaryFolder(), limits);
  const ids = await announceResult(server.collection, server.request);
  const patch = (form: ReturnType<typeof formBody>) =>
    server.request(routes.result(ids.resultId), { method: 'PATCH', ...form });
  const put = (path: string, bytes: Uint8Array, query: Record<string, string | number> = {}) =>
    server.request(chunkAddress(ids.resultId, { path, ...query }), { method: 'PATCH', headers: octets, body: bytes });
  return { ...server, ...ids, patch, put };
}

function uploadsLeft(server: UploadServer): string[] {
  return fs.readdirSync(server.collection.layout.uploads());
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

describe('whole files of one request', () => {
  it('become visible together, at their paths, with types of their bytes', async () => {
    const server = await setUp();
    const files = [
      { filename: 'a.html', type: 'image/png', bytes: Buffer.from('<!doctype html>a') },
      { filename: 'b.bin', type: 'text/html', bytes: Buffer.from([0, 1, 2]) },
    ];
    const answer = await server.patch(
      formBody({ output_paths: '["page/a.html", "page/data/b.bin"]', mime_types: ['image/png', 'text/html'] }, files),
    );
    expect(answer.status, answer.body.toString()).toBe(200);
    expect(answer.json()).toMatchObject({
      status: 'succeeded',
      output_str: 'page/a.html',
      output_files: {
        'page/a.html': { mimetype: 'text/html' },
        'page/data/b.bin': { mimetype: 'application/octet-stream' },
      },
    });
    expect(findOutput(server.collection.db, server.resultId, 'page/a.html')!.declared_type).toBe('image/png');
    const snapshot = findSnapshot(server.collection.db, server.snapshotId)!;
    const folder = server.collection.layout.snapshot({
      id: snapshot.id,
      owner: 'owner',
      createdAt: snapshot.created_at,
      url: snapshot.url,
    });
    const linked = `${folder}/chrome_extension_singlefile/page/data/b.bin`;
    expect(fs.readFileSync(linked)).toEqual(files[1]!.bytes);
    expect(fs.statSync(linked).mode & 0o222).toBe(0);
    expect(fs.statSync(linked).nlink).toBe(2);
    expect(uploadsLeft(server)).toEqual([]);
  });

  it('are all refused when one is', async () => {
    const server = await setUp();
    const files = [
      { filename: 'a.html', bytes: Buffer.from('a') },
      { filename: 'b.html', bytes: Buffer.from('b') },
    ];
    const answer = await server.patch(formBody({ output_paths: ['a.html', '../b.html'] }, files));
    expect(answer.status).toBe(400);
    expect(findOutput(server.collection.db, server.resultId, 'a.html')).toBeUndefined();
    expect(uploadsLeft(server)).toEqual([]);
  });

  it('take their names from the upload when no path is given, and may come with the request that makes the result', async () => {
    const server = await setUp();
    const fields = {
      snapshot_id: server.snapshotId,
      plugin: ' /scripted/ ',
      hook_name: 'on_Snapshot__mine',
      status: 'succeded',
    };
    const answer = await server.request(routes.results, {
      method: 'POST',
      ...formBody(fields, [{ name: 'file', filename: 'note.txt', bytes: Buffer.from('hello') }]),
    });
    expect(answer.status, answer.body.toString()).toBe(200);
    expect(answer.json()).toMatchObject({ plugin: 'scripted', hook_name: 'on_Snapshot__mine', status: 'succeeded' });
    expect(answer.json().output_files['note.txt']).toMatchObject({ size: 5, mimetype: 'text/plain' });
  });

  it('keep the files that came earlier', async () => {
    const server = await setUp();
    await server.patch(formBody({}, [{ filename: 'a.txt', bytes: Buffer.from('a') }]));
    const answer = await server.patch(
      formBody({ output_json: '{"n":1}' }, [{ filename: 'b.txt', bytes: Buffer.from('b') }]),
    );
    expect(Object.keys(answer.json().output_files)).toEqual(['a.txt', 'b.txt']);
    expect(answer.json().output_json).toEqual({ n: 1 });
  });

  it('are no news when they come again', async () => {
    const server = await setUp();
    const form = formBody({}, [{ filename: 'a.txt', bytes: Buffer.from('a') }]);
    expect((await server.patch(form)).status).toBe(200);
    const before = findSnapshot(server.collection.db, server.snapshotId)!;
    expect((await server.patch(form)).status).toBe(200);
    // Nothing would have to be derived anew.
    expect(findSnapshot(server.collection.db, server.snapshotId)!).toMatchObject({
      inputs_revision: before.inputs_revision,
    });
    expect(uploadsLeft(server)).toEqual([]);
  });
});

describe('what a result is told without files', () => {
  it('a capture that could not be taken says why', async () => {
    const server = await setUp();
    const body = JSON.stringify({ status: 'failed', error: 'The tab was closed before the picture was taken.' });
    const answer = await server.request(routes.result(server.resultId), { method: 'PATCH', body });
    expect(answer.json()).toMatchObject({
      status: 'failed',
      error: 'The tab was closed before the picture was taken.',
    });
    // The last announced capture has its word: the snapshot is due now, not in a day.
    expect(findSnapshot(server.collection.db, server.snapshotId)!.due_at).toBeLessThanOrEqual(Date.now());
  });

  it('"started" does not take back what is done', async () => {
    const server = await setUp();
    await server.put('a.txt', Buffer.from('a'));
    const answer = await server.request(routes.result(server.resultId), {
      method: 'PATCH',
      body: JSON.stringify({ status: 'started' }),
    });
    expect(answer.json().status).toBe('succeeded');
  });

  it.each([
    ['nothing at all', '{}', 400],
    ['no JSON', '{', 400],
    ['output_json that is no object', '{"output_json":[1]}', 400],
  ])('%s is refused', async (_what, body, status) => {
    const server = await setUp();
    expect((await server.request(routes.result(server.resultId), { method: 'PATCH', body })).status).toBe(status);
  });

  it.each(['.', '..', 'a/b', 'a b', 'x'.repeat(33), ''])('the plugin name %j is refused', async (plugin) => {
    const server = await setUp();
    const answer = await server.request(routes.results, {
      method: 'POST',
      ...formBody({ snapshot_id: server.snapshotId, plugin, status: 'started' }),
    });
    expect(answer.status).toBe(400);
  });
});

describe('paths', () => {
  it.each([
    '/etc/passwd',
    '../x',
    'a/../../x',
    'a//b',
    './a',
    'a/.',
    '',
    'C:\\x',
    '..\\x',
    'con',
    'a\u0000b',
    'a\nb',
    'x'.repeat(256),
  ])('%j is refused and writes nothing', async (path) => {
    const server = await setUp();
    const answer = await server.put(path, Buffer.from('x'), { total: 1 });
    expect(answer.status).toBe(400);
    expect(answer.json().detail).not.toBe('');
    expect(uploadsLeft(server)).toEqual([]);
  });

  it('a file and a folder cannot have one name', async () => {
    const server = await setUp();
    expect((await server.put('a/b', Buffer.from('x'))).status).toBe(200);
    expect((await server.put('a', Buffer.from('x'))).json().code).toBe('invalid_path');
    expect((await server.put('a/b/c', Buffer.from('x'))).json().code).toBe('invalid_path');
    expect((await server.put('a/bb', Buffer.from('x'))).status).toBe(200);
  });
});

describe('limits are named before a byte is kept', () => {
  it.each([
    ['body', { bodyBytesMax: 99 }, 'too_large', 413],
    ['file', { fileBytesMax: 99 }, 'too_large', 413],
    ['snapshot', { snapshotBytesMax: 99 }, 'snapshot_full', 413],
    ['files', { filesPerResultMax: 0 }, 'too_many_files', 413],
    ['disk', { freeDiskBytesMin: Number.MAX_SAFE_INTEGER }, 'disk_full', 507],
  ] as const)('%s', async (limit, limits, code, status) => {
    const server = await setUp(limits);
    const bytes = randomBytes(100);
    const raw = await server.put('a.bin', bytes);
    const form = await server.patch(formBody({}, [{ filename: 'a.bin', bytes }]));
    for (const answer of [raw, form]) {
      expect(answer.status).toBe(status);
      expect(answer.json()).toMatchObject({ code, details: { limit } });
    }
    expect(uploadsLeft(server)).toEqual([]);
    expect(findOutput(server.collection.db, server.resultId, 'a.bin')).toBeUndefined();
  });

  it('bytes that other uploads have announced count', async () => {
    const server = await setUp({ snapshotBytesMax: 1_000 });
    expect((await server.put('a.bin', randomBytes(10), { offset: 0, total: 900 })).status).toBe(200);
    expect((await server.put('b.bin', randomBytes(10), { offset: 0, total: 200 })).json().code).toBe('snapshot_full');
  });

  it('a body of unknown length is cut off at the limit', async () => {
    const server = await setUp({ bodyBytesMax: 100_000 });
    const form = formBody({}, [{ filename: 'a.bin', bytes: randomBytes(200_000) }]);
    const headers = { ...form.headers, 'transfer-encoding': 'chunked' };
    const answer = await server.request(routes.result(server.resultId), { method: 'PATCH', body: form.body, headers });
    expect(answer.json()).toMatchObject({ code: 'too_large', details: { limit: 'body' } });
    expect(uploadsLeft(server)).toEqual([]);
  });
});

describe('a recorded file', () => {
  it('is downloaded, in ranges and by its digest, and never shown in place', async () => {
    const server = await setUp();
    const bytes = Buffer.from('<!doctype html><script>alert(1)</script>');
    await server.put('größe & "x".html', bytes);
    const address = routes.resultFile(server.resultId, 'größe & "x".html');
    const whole = await server.request(address);
    expect(whole.body.equals(bytes)).toBe(true);
    expect(whole.headers).toMatchObject({
      etag: `"${digestOf(bytes)}"`,
      'x-content-type-options': 'nosniff',
      'content-type': 'text/html',
      'content-length': String(bytes.length),
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(whole.headers['content-disposition']).toMatch(/^attachment; filename="gr__e/);
    const part = await server.request(address, { headers: { range: 'bytes=2-5' } });
    expect([part.status, part.headers['content-range'], part.body.toString()]).toEqual([
      206,
      `bytes 2-5/${bytes.length}`,
      bytes.subarray(2, 6).toString(),
    ]);
    expect((await server.request(address, { headers: { range: 'bytes=-4' } })).body).toEqual(bytes.subarray(-4));
    expect((await server.request(address, { headers: { range: 'bytes=9999-' } })).status).toBe(416);
    expect((await server.request(address, { headers: { 'if-none-match': `"${digestOf(bytes)}"` } })).status).toBe(304);
    expect((await server.request(routes.resultFile(server.resultId, 'other.html'))).status).toBe(404);
    expect((await server.request(`${routes.result(server.resultId)}/file/..%2f..%2fcollection.sqlite3`)).status).toBe(
      400,
    );
  });

  it('is attached elsewhere by its digest without sending it', async () => {
    const server = await setUp();
    const bytes = randomBytes(1_000);
    await server.put('a.bin', bytes);
    const unknown = digestOf(Buffer.from('never seen'));
    const known = await server.request(routes.digests, {
      method: 'POST',
      body: JSON.stringify({ digests: [unknown, digestOf(bytes)] }),
    });
    expect(known.json()).toEqual({ known: [digestOf(bytes)] });
    const second = await announceResult(server.collection, server.request, 'chrome_extension_mhtml');
    const attach = (digest: string) =>
      server.request(routes.resultFiles(second.resultId), {
        method: 'POST',
        body: JSON.stringify({ path: 'b.bin', digest }),
      });
    expect((await attach(digestOf(bytes))).json()).toMatchObject({
      status: 'succeeded',
      output_files: { 'b.bin': { size: 1_000 } },
    });
    expect((await server.request(routes.resultFile(second.resultId, 'b.bin'))).body.equals(bytes)).toBe(true);
    expect((await attach(unknown)).json()).toMatchObject({ code: 'send_bytes' });
  });

  it('whose bytes were pruned meanwhile is not attached', async () => {
    const server = await setUp();
    const bytes = randomBytes(1_000);
    await server.put('a.bin', bytes);
    const row = findOutput(server.collection.db, server.resultId, 'a.bin')!;
    await server.collection.blobs.remove(row.digest as `sha256:${string}`);
    const second = await announceResult(server.collection, server.request, 'chrome_extension_mhtml');
    const body = JSON.stringify({ path: 'b.bin', digest: row.digest });
    const answer = await server.request(routes.resultFiles(second.resultId), { method: 'POST', body });
    expect(answer.status).toBe(409);
    expect(answer.json().code).toBe('send_bytes');
    expect(findOutput(server.collection.db, second.resultId, 'b.bin')).toBeUndefined();
    expect(findResult(server.collection.db, second.resultId)!.status).toBe('started');
  });

  it('whose bytes are pruned in the moment of attaching leaves the result as it was', async () => {
    const server = await setUp();
    const [first, second] = [randomBytes(1_000), randomBytes(2_000)];
    await server.put('a.bin', first);
    const other = await announceResult(server.collection, server.request, 'chrome_extension_mhtml');
    const before = Buffer.from('before');
    await server.request(chunkAddress(other.resultId, { path: 'b.bin' }), {
      method: 'PATCH',
      headers: octets,
      body: before,
    });
    await server.put('c.bin', second);
    const digest = digestOf(second) as `sha256:${string}`;
    // Pruning looks for references in a transaction of its own; here it comes right before the attaching one.
    const { db } = server.collection;
    const write = db.write.bind(db);
    db.write = async (work) => {
      await server.collection.blobs.remove(digest);
      return write(work);
    };
    const body = JSON.stringify({ path: 'b.bin', digest });
    const answer = await server.request(routes.resultFiles(other.resultId), { method: 'POST', body });
    expect(answer.json()).toMatchObject({ code: 'send_bytes' });
    expect(findOutput(db, other.resultId, 'b.bin')!.digest).toBe(digestOf(before));
  });

  it('is listed with its result', async () => {
    const server = await setUp();
    await server.put('a.bin', randomBytes(10));
    await announceResult(server.collection, server.request, 'chrome_extension_mhtml');
    const list = (await server.request(`${routes.results}?snapshot_id=${server.snapshotId}`)).json();
    expect(list.items.map((item: { id: string }) => item.id)).toEqual([server.resultId]);
    const paged = (await server.request(`${routes.results}?limit=1`)).json();
    expect(paged.items).toHaveLength(1);
    const rest = (await server.request(`${routes.results}?limit=1&cursor=${paged.next}`)).json();
    expect(rest.items[0].id).toBe(server.resultId);
    expect(rest.next).toBeNull();
  });
});

describe('two results of one plugin', () => {
  it('share a folder: a path of one is refused where the other has a folder, before a byte is taken', async () => {
    const server = await setUp();
    const body = JSON.stringify({
      snapshot_id: server.snapshotId,
      plugin: 'chrome_extension_singlefile',
      hook_name: 'another_hook',
      status: 'started',
    });
    const other = (await server.request(routes.results, { method: 'POST', body })).json().id as string;
    expect((await server.put('pages/one.html', Buffer.from('one'), { offset: 0, total: 3 })).status).toBe(200);
    for (const [path, status] of [
      ['pages', 400],
      ['pages/one.html/deeper', 400],
      ['pages/two.html', 200],
    ] as const) {
      const answer = await server.request(chunkAddress(other, { path, offset: 0, total: 3 }), {
        method: 'PATCH',
        headers: octets,
        body: Buffer.from('two'),
      });
      expect(answer.status, `${path}: ${answer.body.toString()}`).toBe(status);
    }
    expect(uploadsLeft(server)).toEqual([]);
  });

  it.each(['index.jsonl', 'INDEX.html', 'manifest-sha256.txt'])('a plugin cannot be called %s', async (plugin) => {
    const server = await setUp();
    const body = JSON.stringify({ snapshot_id: server.snapshotId, plugin, hook_name: 'x', status: 'started' });
    const answer = await server.request(routes.results, { method: 'POST', body });
    expect(answer.status).toBe(400);
    expect(answer.json().code).toBe('invalid_plugin');
  });
});

it('says in a sentence that a result is nested too deep or that a body is compressed', async () => {
  const server = await setUp();
  const nested = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const deep = await server.request(routes.result(server.resultId), {
    method: 'PATCH',
    body: `{"output_json":${nested}}`,
  });
  expect(deep.status).toBe(400);
  expect(deep.body.toString()).toMatch(/nested deeper than 100 levels/);
  const packed = await server.request(chunkAddress(server.resultId, { path: 'a.html', offset: 0, total: 3 }), {
    method: 'PATCH',
    headers: { ...octets, 'content-encoding': 'gzip' },
    body: Buffer.from('abc'),
  });
  expect(packed.status).toBe(400);
  expect(packed.body.toString()).toMatch(/without compressing/);
});
