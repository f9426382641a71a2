import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { limits } from '../../shared/limits.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { findOutput, findResult, recordOutputs } from '../../companion/collection/records/results.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { partName, saveRecord, type UploadRecord } from '../../companion/uploads/upload-record.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress, startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

const MIB = 1024 * 1024;
const octets = { 'content-type': 'application/octet-stream' };
const partHint = { mimetype: 'application/octet-stream', path: 'page.bin' };

function digestOf(bytes: Uint8Array): Digest {
  return digestFromHex(createHash('sha256').update(bytes).digest('hex'));
}

describe('a companion killed in the middle of an upload', () => {
  it('goes on where it was, without starting over', { timeout: 120_000 }, async () => {
    const dataDir = temporaryFolder();
    const bytes = randomBytes(100 * MIB);
    const sha256 = digestOf(bytes);
    let companion = await startCompanion({ dataDir, args: ['--no-runner'] });
    const { token } = companion;
    const { resultId, snapshotId } = await announceResult(companion.collection, companion.request);
    const ask = (to: TestCompanion, address: string, method = 'GET', body?: Uint8Array) =>
      to.request(address, {
        method,
        headers: { ...octets, authorization: `Bearer ${token}` },
        ...(body ? { body } : {}),
      });
    const address = (offset: number) =>
      chunkAddress(resultId, { path: 'singlefile.html', offset, total: bytes.length, sha256 });
    for (let offset = 0; offset < 48 * MIB; offset += 8 * MIB) {
      expect((await ask(companion, address(offset), 'PATCH', bytes.subarray(offset, offset + 8 * MIB))).status).toBe(
        200,
      );
    }
    await killInsideChunk(companion, address(48 * MIB), token, bytes.subarray(48 * MIB, 56 * MIB));

    companion = await startCompanion({ dataDir, args: ['--no-runner'] });
    try {
      const [state] = (await ask(companion, routes.resultUploads(resultId))).json().uploads;
      expect(state).toMatchObject({ path: 'singlefile.html', received: 48 * MIB, complete: false });
      for (let offset = state.received as number; offset < bytes.length; offset += 8 * MIB) {
        const answer = await ask(companion, address(offset), 'PATCH', bytes.subarray(offset, offset + 8 * MIB));
        expect(answer.status, answer.body.toString()).toBe(200);
      }
      expect(findOutput(companion.collection.db, resultId, 'singlefile.html')).toMatchObject({
        digest: sha256,
        size: bytes.length,
      });
      expect(digestOf(fs.readFileSync(companion.collection.layout.blob(sha256)))).toBe(sha256);
      expect(findSnapshot(companion.collection.db, snapshotId)!.output_size).toBe(bytes.length);
      expect(fs.readdirSync(companion.collection.layout.uploads())).toEqual([]);
    } finally {
      await companion.stop();
    }
  });
});

/** Sends half a chunk, and kills the companion when the bytes have begun to arrive. */
async function killInsideChunk(
  companion: TestCompanion,
  address: string,
  token: string,
  bytes: Uint8Array,
): Promise<void> {
  const [folder] = fs.readdirSync(companion.collection.layout.uploads());
  const part = path.join(companion.collection.layout.upload(folder!), partName);
  const before = fs.statSync(part).size;
  const request = http.request({
    host: '127.0.0.1',
    port: companion.port,
    path: address,
    method: 'PATCH',
    headers: { ...octets, authorization: `Bearer ${token}`, 'content-length': bytes.length },
    agent: false,
  });
  request.on('error', () => undefined);
  const grown = new Promise<void>((resolve) => {
    const watcher = fs.watch(part, () => {
      if (fs.statSync(part).size <= before) return;
      watcher.close();
      resolve();
    });
  });
  request.write(bytes.subarray(0, bytes.length / 2));
  await grown;
  await companion.kill();
}

describe('what a crash leaves in the uploads folder', () => {
  it('complete, but not promoted: is finished at start', async () => {
    const { server, folder, bytes } = await stopWith({ completed: true });
    const again = await startUploadServer(server.collection.root);
    await expectFinished(again, server.resultId, folder, bytes);
  });

  it('promoted, but without rows: is finished at start', async () => {
    const { server, folder, bytes } = await stopWith({ completed: true }, async (collection, part) => {
      await collection.gate.promoteStaged(part, digestOf(bytesOf(part)), partHint);
    });
    const again = await startUploadServer(server.collection.root);
    await expectFinished(again, server.resultId, folder, bytes);
  });

  it('recorded, but without its link: gets the link', async () => {
    const { server, folder, bytes } = await stopWith({ completed: true }, async (collection, part, ids) => {
      const content = bytesOf(part);
      await collection.gate.promoteStaged(part, digestOf(content), partHint);
      const row = findResult(collection.db, ids.resultId)!;
      const key = { snapshotId: row.snapshot_id, plugin: row.plugin, hookName: row.hook_name };
      const file = {
        path: 'page.bin',
        size: content.length,
        mimetype: 'text/plain',
        declaredType: '',
        digest: digestOf(content),
      };
      await collection.db.write(() => recordOutputs(collection.db, key, [file], { status: 'succeeded' }, Date.now()));
    });
    const again = await startUploadServer(server.collection.root);
    await expectFinished(again, server.resultId, folder, bytes);
    expect(findSnapshot(again.collection.db, server.snapshotId)!.inputs_revision).toBe(1);
  });

  it('a tail that was never synced: is cut, and the upload goes on', async () => {
    const { server, folder, bytes } = await stopWith({ received: 600, withDigests: true });
    const again = await startUploadServer(server.collection.root);
    expect(fs.statSync(path.join(folder, partName)).size).toBe(600);
    const rest = await sendRest(again, server, bytes, 600);
    expect(rest.status, rest.body.toString()).toBe(200);
    await expectFinished(again, server.resultId, folder, bytes);
  });

  it('an upload of a client without digests: starts over', async () => {
    const { server, bytes } = await stopWith({ received: 600, withDigests: false });
    const again = await startUploadServer(server.collection.root);
    expect((await sendRest(again, server, bytes, 600)).json()).toMatchObject({ code: 'gap', details: { received: 0 } });
    expect((await sendRest(again, server, bytes, 0)).status).toBe(200);
  });

  it('an upload that nobody has sent for 30 days: is removed, its result stays as it was', async () => {
    const { server, folder } = await stopWith({
      received: 600,
      withDigests: true,
      updatedAt: Date.now() - limits.uploadSilentMs - 1,
    });
    const again = await startUploadServer(server.collection.root);
    expect(fs.existsSync(folder)).toBe(false);
    expect(findResult(again.collection.db, server.resultId)!.status).toBe('started');
  });

  it('a folder without a record, or with a damaged one: is removed', async () => {
    const { server, folder } = await stopWith({ received: 600, withDigests: true });
    fs.writeFileSync(path.join(folder, 'upload.json'), '{"version":1,"result"');
    fs.mkdirSync(path.join(path.dirname(folder), 'x'));
    const again = await startUploadServer(server.collection.root);
    expect(fs.readdirSync(again.collection.layout.uploads())).toEqual([]);
  });
});

interface Left {
  completed?: boolean;
  received?: number;
  withDigests?: boolean;
  updatedAt?: number;
}

type Ids = { resultId: string; snapshotId: string };
type Collection = UploadServer['collection'];

/** Makes an upload folder as a crash at a certain point leaves it, and stops the server. */
async function stopWith(
  left: Left,
  further: (collection: Collection, part: string, ids: Ids) => Promise<void> = async () => undefined,
) {
  const server = await startUploadServer(temporaryFolder());
  const ids = await announceResult(server.collection, server.request);
  const bytes = randomBytes(1_000);
  const folder = server.collection.layout.upload('0f0f');
  const caller = server.access.requireToken(server.token);
  fs.mkdirSync(folder);
  fs.writeFileSync(path.join(folder, partName), bytes);
  const file = {
    part: partName,
    path: 'page.bin',
    size: bytes.length,
    digest: digestOf(bytes),
    mimetype: 'text/plain',
    declared_type: '',
    upload: null,
  };
  const record: UploadRecord = {
    version: 1,
    result: ids.resultId,
    snapshot: ids.snapshotId,
    chunked: {
      path: 'page.bin',
      total: bytes.length,
      token: caller.key,
      client_digest: null,
      with_digests: left.withDigests ?? false,
      declared_type: '',
      received: left.received ?? bytes.length,
      chunks: 1,
    },
    completion: left.completed ? { files: [file], changes: { status: 'succeeded' } } : null,
    updated_at: left.updatedAt ?? Date.now(),
  };
  await saveRecord(folder, record);
  await further(server.collection, path.join(folder, partName), ids);
  await server.stop();
  return { server: { ...server, ...ids }, folder, bytes };
}

function bytesOf(file: string): Buffer {
  return fs.readFileSync(file);
}

function sendRest(again: UploadServer, server: UploadServer & Ids, bytes: Buffer, offset: number) {
  return again.request(chunkAddress(server.resultId, { path: 'page.bin', offset, total: bytes.length }), {
    method: 'PATCH',
    headers: { ...octets, authorization: `Bearer ${server.token}` },
    body: bytes.subarray(offset),
  });
}

async function expectFinished(server: UploadServer, resultId: string, folder: string, bytes: Buffer): Promise<void> {
  expect(fs.existsSync(folder)).toBe(false);
  const record = (await server.request(routes.result(resultId))).json();
  expect(record).toMatchObject({ status: 'succeeded', output_files: { 'page.bin': { digest: digestOf(bytes) } } });
  const snapshot = findSnapshot(server.collection.db, record.snapshot_id)!;
  const facts = { id: snapshot.id, owner: 'owner', createdAt: snapshot.created_at, url: snapshot.url };
  expect(fs.readFileSync(server.collection.layout.output(facts, record.plugin, 'page.bin')).equals(bytes)).toBe(true);
}
