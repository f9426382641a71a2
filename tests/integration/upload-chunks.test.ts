import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDigest, type Digest } from '../../shared/digest/digest.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { findOutput, findResult } from '../../companion/collection/records/results.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { trashSnapshot } from '../../companion/collection/records/trash.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress, startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

const octets = { 'content-type': 'application/octet-stream' };
const CHUNK = 64 * 1024;

function digestOf(bytes: Uint8Array): Digest {
  return parseDigest(`sha256:${createHash('sha256').update(bytes).digest('hex')}`)!;
}

interface Setup extends UploadServer {
  resultId: string;
  snapshotId: string;
  /** Sends `bytes` at `offset` of a file of `total` bytes called `page.bin`. */
  chunk: (
    bytes: Uint8Array,
    offset: number,
    total: number,
    query?: Record<string, string>,
  ) => ReturnType<UploadServer['request']>;
}

async function setUp(): Promise<Setup> {
  const server = await startUploadServer(temporaryFolder());
  const ids = await announceResult(server.collection, server.request);
  const chunk: Setup['chunk'] = (bytes, offset, total, query = {}) =>
    server.request(chunkAddress(ids.resultId, { path: 'page.bin', offset, total, ...query }), {
      method: 'PATCH',
      headers: octets,
      body: bytes,
    });
  return { ...server, ...ids, chunk };
}

/** The bytes of the recorded file, by the row's digest and through the link in the snapshot's folder. */
async function recordedBytes(server: Setup, name = 'page.bin'): Promise<Buffer> {
  const answer = await server.request(routes.resultFile(server.resultId, name));
  expect(answer.status).toBe(200);
  const row = findOutput(server.collection.db, server.resultId, name)!;
  expect(digestOf(answer.body)).toBe(row.digest);
  const snapshot = findSnapshot(server.collection.db, server.snapshotId)!;
  const facts = {
    id: snapshot.id,
    owner: server.collection.owner.name,
    createdAt: snapshot.created_at,
    url: snapshot.url,
  };
  const linked = fs.readFileSync(server.collection.layout.output(facts, 'chrome_extension_singlefile', name));
  expect(linked.equals(answer.body)).toBe(true);
  return answer.body;
}

function uploadFolders(server: UploadServer): string[] {
  return fs.readdirSync(server.collection.layout.uploads());
}

describe('a file in chunks', () => {
  it.each([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1])(
    'of %i bytes is recorded as it was sent',
    async (size) => {
      const server = await setUp();
      const bytes = randomBytes(size);
      for (let offset = 0; offset === 0 || offset < size; offset += CHUNK) {
        const part = bytes.subarray(offset, offset + CHUNK);
        const answer = await server.chunk(part, offset, size, {
          sha256: digestOf(bytes),
          chunk_sha256: digestOf(part),
        });
        expect(answer.status, answer.body.toString()).toBe(200);
        expect(answer.headers['x-upload-received']).toBe(String(Math.min(offset + CHUNK, size)));
      }
      expect((await recordedBytes(server)).equals(bytes)).toBe(true);
      const record = (await server.request(routes.result(server.resultId))).json();
      expect(record).toMatchObject({ status: 'succeeded', output_str: 'page.bin', output_size: size });
      expect(record.output_files['page.bin'].upload).toMatchObject({ chunked: true, complete: true });
      expect(uploadFolders(server)).toEqual([]);
    },
  );

  it('writes no row for an intermediate chunk, and still answers with the merged view', async () => {
    const server = await setUp();
    const bytes = randomBytes(3 * CHUNK);
    const before = findResult(server.collection.db, server.resultId)!;
    server.takeStatements();
    const answer = await server.chunk(bytes.subarray(0, CHUNK), 0, bytes.length, {
      status: 'started',
      output_json: '{"source":"test"}',
    });
    const statements = server.takeStatements().map(({ sql }) => sql);
    expect(statements.filter((sql) => /^\s*(insert|update|delete|replace)/i.test(sql))).toEqual([]);
    expect(statements.filter((sql) => /^\s*select/i.test(sql) && /from "archive_result"/i.test(sql))).toHaveLength(1);
    expect(findResult(server.collection.db, server.resultId)).toEqual(before);
    expect(answer.json()).toMatchObject({
      status: 'started',
      output_json: { source: 'test' },
      output_files: { 'page.bin': { size: CHUNK, upload: { complete: false, received: CHUNK, chunks_received: 1 } } },
    });
    const states = (await server.request(routes.resultUploads(server.resultId))).json();
    expect(states.uploads).toEqual([
      { path: 'page.bin', received: CHUNK, total: bytes.length, complete: false, digest: null },
    ]);
  });

  it('accepts a chunk again, also one whose answer to the last chunk was lost', async () => {
    const server = await setUp();
    const bytes = randomBytes(2 * CHUNK);
    for (const [offset, times] of [
      [0, 2],
      [CHUNK / 2, 1],
      [CHUNK, 3],
      [0, 1],
    ] as const) {
      for (let time = 0; time < times; time += 1) {
        const answer = await server.chunk(bytes.subarray(offset, offset + CHUNK), offset, bytes.length);
        expect(answer.status, answer.body.toString()).toBe(200);
      }
    }
    const revision = findSnapshot(server.collection.db, server.snapshotId)!.inputs_revision;
    await server.chunk(bytes.subarray(CHUNK), CHUNK, bytes.length);
    expect(findSnapshot(server.collection.db, server.snapshotId)!.inputs_revision).toBe(revision);
    expect((await recordedBytes(server)).equals(bytes)).toBe(true);
    expect(uploadFolders(server)).toEqual([]);
  });

  it('refuses a gap and names where to go on', async () => {
    const server = await setUp();
    const bytes = randomBytes(3 * CHUNK);
    await server.chunk(bytes.subarray(0, CHUNK), 0, bytes.length);
    const answer = await server.chunk(bytes.subarray(2 * CHUNK), 2 * CHUNK, bytes.length);
    expect(answer.status).toBe(409);
    expect(answer.json()).toMatchObject({ code: 'gap', details: { received: CHUNK } });
    expect(answer.json().detail).toContain(String(CHUNK));
    expect(answer.json().request_id).not.toBe('');
  });

  it('refuses bytes behind the announced end and keeps nothing of that chunk', async () => {
    const server = await setUp();
    await server.chunk(randomBytes(10), 0, 20);
    expect((await server.chunk(randomBytes(11), 10, 20)).json()).toMatchObject({ code: 'bad_request' });
    const states = (await server.request(routes.resultUploads(server.resultId))).json();
    expect(states.uploads[0].received).toBe(10);
  });
});

describe('other bytes at the same place', () => {
  it('start the upload over at once at offset 0', async () => {
    const server = await setUp();
    const first = randomBytes(4 * CHUNK);
    const second = Buffer.concat([first.subarray(0, CHUNK + 7), randomBytes(3 * CHUNK - 7)]);
    await server.chunk(first.subarray(0, 3 * CHUNK), 0, first.length);
    const answer = await server.chunk(second.subarray(0, 2 * CHUNK), 0, second.length);
    expect(answer.status, answer.body.toString()).toBe(200);
    expect(answer.headers['x-upload-received']).toBe(String(2 * CHUNK));
    await server.chunk(second.subarray(2 * CHUNK), 2 * CHUNK, second.length);
    expect((await recordedBytes(server)).equals(second)).toBe(true);
  });

  it('empty the upload at another offset', async () => {
    const server = await setUp();
    const bytes = randomBytes(3 * CHUNK);
    await server.chunk(bytes.subarray(0, 2 * CHUNK), 0, bytes.length);
    const answer = await server.chunk(randomBytes(CHUNK), CHUNK, bytes.length);
    expect(answer.json()).toMatchObject({ code: 'content_differs', details: { received: 0 } });
    expect((await server.chunk(bytes.subarray(CHUNK), CHUNK, bytes.length)).json()).toMatchObject({
      code: 'gap',
      details: { received: 0 },
    });
    await server.chunk(bytes, 0, bytes.length);
    expect((await recordedBytes(server)).equals(bytes)).toBe(true);
  });

  it('replace a recorded file only when they are complete', async () => {
    const server = await setUp();
    const first = randomBytes(2 * CHUNK);
    const second = Buffer.concat([first.subarray(0, 100), randomBytes(2 * CHUNK - 100)]);
    await server.chunk(first, 0, first.length);
    await server.chunk(second.subarray(0, CHUNK), 0, second.length);
    expect((await recordedBytes(server)).equals(first)).toBe(true);
    await server.chunk(second.subarray(CHUNK), CHUNK, second.length);
    expect((await recordedBytes(server)).equals(second)).toBe(true);
    expect(fs.existsSync(server.collection.layout.blob(digestOf(first)))).toBe(true);
  });

  it('behind an equal beginning of a recorded file lead to a fresh start, not to an endless refusal', async () => {
    const server = await setUp();
    const first = randomBytes(2 * CHUNK);
    const second = Buffer.concat([first.subarray(0, CHUNK), randomBytes(CHUNK)]);
    await server.chunk(first, 0, first.length);
    expect((await server.chunk(second.subarray(0, CHUNK), 0, second.length)).status).toBe(200);
    expect((await server.chunk(second.subarray(CHUNK), CHUNK, second.length)).json()).toMatchObject({
      code: 'content_differs',
    });
    expect((await server.chunk(second.subarray(0, CHUNK), 0, second.length)).status).toBe(200);
    expect((await server.chunk(second.subarray(CHUNK), CHUNK, second.length)).status).toBe(200);
    expect((await recordedBytes(server)).equals(second)).toBe(true);
  });

  it('are told apart by the digest of the whole file before a byte is read', async () => {
    const server = await setUp();
    const first = randomBytes(2 * CHUNK);
    const second = Buffer.concat([first.subarray(0, CHUNK), randomBytes(CHUNK)]);
    await server.chunk(first.subarray(0, CHUNK), 0, first.length, { sha256: digestOf(first) });
    const wrong = await server.chunk(second.subarray(CHUNK), CHUNK, second.length, { sha256: digestOf(second) });
    expect(wrong.json()).toMatchObject({ code: 'content_differs' });
    await server.chunk(second, 0, second.length, { sha256: digestOf(second) });
    expect((await recordedBytes(server)).equals(second)).toBe(true);
  });
});

describe('digests', () => {
  it('of a chunk that does not match leave nothing of it', async () => {
    const server = await setUp();
    const bytes = randomBytes(2 * CHUNK);
    await server.chunk(bytes.subarray(0, CHUNK), 0, bytes.length);
    const answer = await server.chunk(bytes.subarray(CHUNK), CHUNK, bytes.length, {
      chunk_sha256: digestOf(Buffer.from('x')),
    });
    expect(answer.status).toBe(422);
    expect(answer.json().code).toBe('digest_mismatch');
    const [folder] = uploadFolders(server);
    expect(fs.statSync(path.join(server.collection.layout.upload(folder!), 'part')).size).toBe(CHUNK);
    await server.chunk(bytes.subarray(CHUNK), CHUNK, bytes.length, { sha256: digestOf(bytes) });
    expect((await recordedBytes(server)).equals(bytes)).toBe(true);
  });

  it('of the whole file that does not match leave nothing of the upload', async () => {
    const server = await setUp();
    const bytes = randomBytes(CHUNK);
    const answer = await server.chunk(bytes, 0, bytes.length, { sha256: digestOf(Buffer.from('x')) });
    expect(answer.status).toBe(422);
    expect(uploadFolders(server)).toEqual([]);
    expect(findOutput(server.collection.db, server.resultId, 'page.bin')).toBeUndefined();
    expect(findResult(server.collection.db, server.resultId)!.status).toBe('started');
  });
});

describe('several at once', () => {
  it('one upload has one writer: the newer request ends the older', async () => {
    const server = await setUp();
    const bytes = randomBytes(4 * CHUNK);
    const older = slowChunk(server, bytes.length);
    older.request.write(bytes.subarray(0, CHUNK));
    await received(server, () => uploadFolders(server).length === 1);
    const newer = await server.chunk(bytes, 0, bytes.length, { sha256: digestOf(bytes) });
    expect(newer.status, newer.body.toString()).toBe(200);
    expect(await older.answer).toMatchObject({ status: 409, code: 'superseded' });
    expect((await recordedBytes(server)).equals(bytes)).toBe(true);
  });

  it('many requests with the same chunks end in one whole file', async () => {
    const server = await setUp();
    const bytes = randomBytes(6 * CHUNK);
    const send = async (): Promise<void> => {
      for (let offset = 0; offset < bytes.length;) {
        const answer = await server.chunk(bytes.subarray(offset, offset + CHUNK), offset, bytes.length);
        const refused = answer.status === 409 ? answer.json() : undefined;
        if (refused?.code === 'superseded') {
          // Gives way as clients do: asks how far the upload is before it sends again.
          const states = await server.request(routes.resultUploads(server.resultId));
          offset = states.json().uploads.find((state: { path: string }) => state.path === 'page.bin')?.received ?? 0;
          continue;
        }
        offset = refused?.code === 'gap' ? refused.details.received : offset + CHUNK;
      }
    };
    await Promise.all([send(), send(), send()]);
    expect((await recordedBytes(server)).equals(bytes)).toBe(true);
    expect(uploadFolders(server)).toEqual([]);
  });

  it('two tokens send different files to one path without mixing them', async () => {
    const server = await setUp();
    const other = (await server.access.newToken('other')).token;
    const first = randomBytes(2 * CHUNK);
    const second = randomBytes(2 * CHUNK);
    const sendOther = (offset: number) =>
      server.request(chunkAddress(server.resultId, { path: 'page.bin', offset, total: second.length }), {
        method: 'PATCH',
        headers: { ...octets, authorization: `Bearer ${other}` },
        body: second.subarray(offset, offset + CHUNK),
      });
    await server.chunk(first.subarray(0, CHUNK), 0, first.length);
    await sendOther(0);
    await server.chunk(first.subarray(CHUNK), CHUNK, first.length);
    expect((await recordedBytes(server)).equals(first)).toBe(true);
    await sendOther(CHUNK);
    expect((await recordedBytes(server)).equals(second)).toBe(true);
  });
});

it('of two uploads under way, one at a folder of the other, the later is refused and leaves nothing', async () => {
  const server = await setUp();
  const bytes = randomBytes(2 * CHUNK);
  const send = (name: string, offset: number) =>
    server.request(chunkAddress(server.resultId, { path: name, offset, total: bytes.length }), {
      method: 'PATCH',
      headers: octets,
      body: bytes.subarray(offset, offset + CHUNK),
    });
  for (const name of ['page', 'page/part.bin']) expect((await send(name, 0)).status).toBe(200);
  expect((await send('page', CHUNK)).status).toBe(200);
  const refused = await send('page/part.bin', CHUNK);
  expect(refused.json()).toMatchObject({
    code: 'invalid_path',
    detail: expect.stringContaining('cannot both be files'),
  });
  expect((await recordedBytes(server, 'page')).equals(bytes)).toBe(true);
  expect(uploadFolders(server)).toEqual([]);
});

describe('a connection that breaks off', () => {
  it('leaves what arrived, and the client goes on from there', async () => {
    const server = await setUp();
    const bytes = randomBytes(4 * CHUNK);
    const broken = slowChunk(server, bytes.length);
    broken.request.write(bytes.subarray(0, 2 * CHUNK + 5));
    const part = () => path.join(server.collection.layout.upload(uploadFolders(server)[0] ?? 'none'), 'part');
    await received(server, () => fs.existsSync(part()) && fs.statSync(part()).size === 2 * CHUNK + 5);
    broken.request.destroy();
    await broken.answer.catch(() => undefined);
    const states = async () => (await server.request(routes.resultUploads(server.resultId))).json().uploads;
    while ((await states())[0]?.received !== 2 * CHUNK + 5);
    const answer = await server.chunk(bytes.subarray(2 * CHUNK + 5), 2 * CHUNK + 5, bytes.length, {
      sha256: digestOf(bytes),
    });
    expect(answer.status, answer.body.toString()).toBe(200);
    expect((await recordedBytes(server)).equals(bytes)).toBe(true);
  });
});

it('says that the page was deleted meanwhile, and keeps no bytes of it', async () => {
  const server = await setUp();
  const bytes = randomBytes(2 * CHUNK);
  await server.chunk(bytes.subarray(0, CHUNK), 0, bytes.length);
  await server.collection.db.write(() => trashSnapshot(server.collection.db, server.snapshotId, Date.now()));
  const answer = await server.chunk(bytes.subarray(CHUNK), CHUNK, bytes.length);
  expect(answer.status).toBe(410);
  expect(answer.json().code).toBe('deleted');
  expect(uploadFolders(server)).toEqual([]);
});

/** A raw chunk whose body is written by hand. */
function slowChunk(
  server: Setup,
  total: number,
): { request: http.ClientRequest; answer: Promise<{ status: number; code: string }> } {
  const request = http.request({
    port: server.port,
    host: '127.0.0.1',
    path: chunkAddress(server.resultId, { path: 'page.bin', offset: 0, total }),
    method: 'PATCH',
    headers: { ...octets, authorization: `Bearer ${server.token}`, 'content-length': total },
    agent: false,
  });
  const answer = new Promise<{ status: number; code: string }>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => (text += more));
      response.on('end', () =>
        resolve({ status: response.statusCode!, code: (JSON.parse(text) as { code: string }).code }),
      );
    });
  });
  return { request, answer };
}

/** Waits for a state of the server's disk, yielding to the server between two looks. */
async function received(server: UploadServer, state: () => boolean): Promise<void> {
  while (!state()) await server.request(routes.status).catch(() => undefined);
}
