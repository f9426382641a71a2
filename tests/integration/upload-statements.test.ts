import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Db } from '../../companion/collection/database.ts';
import { findResult } from '../../companion/collection/records/results.ts';
import { CompanionClient, type Peer } from '../../extension/companion-client/companion-client.ts';
import * as requests from '../../extension/companion-client/collection-requests.ts';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { newId } from '../../shared/model/ids.ts';
import { uploadHookName } from '../../shared/model/states.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { faultsOf, isWrite, type TracedStatement } from '../helpers/statement-trace.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

const CHUNK = 64 * 1024;
const extensionOrigin = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop';

/** One request as it went over the wire, with what the companion's database was asked for it. */
interface TracedRequest {
  method: string;
  path: string;
  statements: TracedStatement[];
}

interface Setup {
  server: UploadServer;
  client: CompanionClient;
  trace: TracedRequest[];
  /** Changes whenever anybody has committed anything. */
  dataVersion: () => number;
}

/** The extension's own client, paired, with the origin that a browser adds; each of its requests is traced. */
async function setUp(): Promise<Setup> {
  const server = await startUploadServer(temporaryFolder());
  const trace: TracedRequest[] = [];
  const send = globalThis.fetch;
  vi.stubGlobal('fetch', async (address: string, init: RequestInit) => {
    server.takeStatements();
    const response = await send(address, { ...init, headers: { ...init.headers, origin: extensionOrigin } });
    // Read here, so that what the companion does while it answers counts as well.
    const whole = new Response(await response.arrayBuffer(), response);
    trace.push({ method: init.method!, path: new URL(address).pathname, statements: server.takeStatements() });
    return whole;
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const code = await server.access.newPairingCode();
  const peer: Peer = { address: `127.0.0.1:${server.port}`, pairing: null };
  const client = new CompanionClient({
    readPeer: async () => peer,
    extensionVersion: '0.1.0',
    onRevoked: async () => undefined,
  });
  const { pairing_id: pairingId, secret, token } = await client.pair(code, 'test');
  peer.pairing = { pairingId, secret, token, revoked: false };
  const onlooker = new Db(server.collection.layout.database());
  onTestFinished(() => onlooker.close());
  return { server, client, trace, dataVersion: () => onlooker.dataVersion() };
}

function digestOf(bytes: Uint8Array): Digest {
  return digestFromHex(createHash('sha256').update(bytes).digest('hex'));
}

type Requests = { [Name in keyof typeof requests]: (...parameters: never[]) => Promise<unknown> };

/** Everything the extension can ask for, in the order it does. */
function everyRequest(client: CompanionClient): { sent: Record<keyof Requests, () => Promise<unknown>>; ids: Ids } {
  const bytes = new Uint8Array(randomBytes(3 * CHUNK));
  const ids: Ids = { snapshotId: newId(), resultId: '' };
  const url = 'https://example.org/page';
  const sendPart = (offset: number) => {
    const part = bytes.slice(offset, offset + CHUNK);
    const file = { resultId: ids.resultId, path: 'singlefile.html', mimetype: 'text/html', total: bytes.length };
    const digests = { sha256: digestOf(bytes), chunkSha256: digestOf(part) };
    const status = offset + CHUNK === bytes.length ? ('succeeded' as const) : ('started' as const);
    return requests.sendChunk(client, { ...file, ...digests, offset, bytes: part, status });
  };
  const sent = {
    createSnapshot: async () => {
      const expected = ['chrome_extension_singlefile', 'chrome_extension_screenshot'];
      const snapshot = { id: ids.snapshotId, url, depth: 0, title: 'Page', tags: ['one', 'two'], notes: 'mine' };
      for (let time = 0; time < 2; time += 1) {
        await requests.createSnapshot(client, { ...snapshot, source: 'browser', expected_captures: expected });
      }
    },
    startResult: async () => {
      for (let time = 0; time < 2; time += 1) {
        ids.resultId = (await requests.startResult(client, ids.snapshotId, 'chrome_extension_singlefile')).id;
      }
    },
    listUploads: () => requests.listUploads(client, ids.resultId),
    sendChunk: async () => {
      for (const offset of [0, CHUNK, CHUNK, 2 * CHUNK, 2 * CHUNK]) await sendPart(offset);
    },
    reportMissing: () =>
      requests.reportMissing(client, ids.snapshotId, 'chrome_extension_screenshot', 'failed', 'the tab was closed'),
    editSnapshot: () => requests.editSnapshot(client, ids.snapshotId, { title: 'My page', tags: ['two'], notes: '' }),
    addOnCompanion: () => requests.addOnCompanion(client, url),
  };
  return { sent, ids };
}

interface Ids {
  snapshotId: string;
  resultId: string;
}

/** Names of the routes that the extension's client builds addresses from, read from its source. */
function routesOfExtension(): Set<string> {
  const folder = path.resolve(import.meta.dirname, '../../extension/companion-client');
  const sources = fs.readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const text = sources.map((name) => fs.readFileSync(path.join(folder, name), 'utf8')).join('\n');
  const names = [...text.matchAll(/\broutes\.(\w+)/g)].map((match) => match[1]!);
  return new Set(names.filter((name) => name in routes));
}

function isAt(name: string, address: string): boolean {
  const route = routes[name as keyof typeof routes] as string | ((...ids: string[]) => string);
  const pattern = typeof route === 'string' ? route : route('ID', 'PATH');
  return new RegExp(`^${pattern.replace(/ID|PATH/g, '[^/]+')}$`).test(address);
}

it('every request of the extension reads and writes without an await between, and looks a result up once', async () => {
  const { client, trace } = await setUp();
  await client.connect();
  const { sent } = everyRequest(client);
  for (const request of Object.values(sent)) await request();
  for (const { method, path: address, statements } of trace) {
    expect(faultsOf(statements), `${method} ${address}`).toEqual([]);
  }
  const unseen = [...routesOfExtension()].filter((name) => !trace.some((request) => isAt(name, request.path)));
  expect(unseen, 'routes the extension uses that were not traced').toEqual([]);
  expect(routesOfExtension().size).toBeGreaterThan(7);
  expect(Object.keys(sent).sort()).toEqual(Object.keys(requests).sort());
});

it('asking what is here and attaching it by its digest keep to the same rules', async () => {
  const { server, client, trace } = await setUp();
  const { sent, ids } = everyRequest(client);
  await sent.createSnapshot();
  await sent.startResult();
  await sent.sendChunk();
  const uploads = await requests.listUploads(client, ids.resultId);
  const digest = uploads[0]!.digest!;
  const post = async (address: string, body: unknown): Promise<number> => {
    server.takeStatements();
    const answer = await server.request(address, { method: 'POST', body: JSON.stringify(body) });
    trace.push({ method: 'POST', path: address, statements: server.takeStatements() });
    return answer.status;
  };
  expect(await post(routes.digests, { digests: [digest] })).toBe(200);
  expect(await post(routes.resultFiles(ids.resultId), { path: 'again.html', digest })).toBe(200);
  const announced = { snapshot_id: ids.snapshotId, plugin: 'chrome_extension_mhtml', hook_name: uploadHookName };
  expect(await post(routes.results, { ...announced, status: 'started' })).toBe(200);
  for (const { path: address, statements } of trace) expect(faultsOf(statements), address).toEqual([]);
});

it('an intermediate chunk commits nothing, leaves the row as it is and is answered with the merged view', async () => {
  const { server, client, trace, dataVersion } = await setUp();
  const { sent, ids } = everyRequest(client);
  await sent.createSnapshot();
  await sent.startResult();
  const bytes = new Uint8Array(randomBytes(4 * CHUNK));
  const before = findResult(server.collection.db, ids.resultId)!;
  const version = dataVersion();
  trace.splice(0);
  for (let offset = 0; offset < 3 * CHUNK; offset += CHUNK) {
    const part = bytes.slice(offset, offset + CHUNK);
    const answer = await requests.sendChunk(client, {
      resultId: ids.resultId,
      path: 'singlefile.html',
      offset,
      total: bytes.length,
      bytes: part,
      sha256: digestOf(bytes),
      chunkSha256: digestOf(part),
      mimetype: 'text/html',
      status: 'succeeded',
    });
    expect(answer).toMatchObject({
      status: 'succeeded',
      modified_at: new Date(before.modified_at).toISOString(),
      output_size: offset + CHUNK,
      output_files: { 'singlefile.html': { size: offset + CHUNK, upload: { complete: false } } },
    });
  }
  expect(trace.filter(({ method }) => method === 'PATCH')).toHaveLength(3);
  expect(trace.flatMap(({ statements }) => statements.filter(isWrite))).toEqual([]);
  expect(dataVersion()).toBe(version);
  expect(findResult(server.collection.db, ids.resultId)).toEqual(before);
});

it('the trace sees what the rules forbid', async () => {
  const { server, client, trace } = await setUp();
  const { sent, ids } = everyRequest(client);
  await sent.createSnapshot();
  await sent.startResult();
  expect(trace.flatMap(({ statements }) => statements).some(isWrite)).toBe(true);
  const { db } = server.collection;
  server.takeStatements();
  findResult(db, ids.resultId);
  findResult(db, ids.resultId);
  await Promise.resolve();
  await db.write(() => db.raw(`UPDATE archive_result SET notes = 'x' WHERE id = :id`, { id: ids.resultId }));
  await Promise.resolve();
  db.raw(`UPDATE archive_result SET notes = 'y' WHERE id = :id`, { id: ids.resultId });
  expect(faultsOf(server.takeStatements())).toEqual([
    expect.stringContaining('a write outside of a transaction'),
    expect.stringContaining('a write after a read before an await'),
    expect.stringContaining('a write after a read before an await'),
    'a result was looked up 2 times at once',
  ]);
});
