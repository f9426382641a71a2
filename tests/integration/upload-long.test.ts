import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Db } from '../../companion/collection/database.ts';
import { findOutput } from '../../companion/collection/records/results.ts';
import { limits } from '../../shared/limits.ts';
import { runnerBench, type RunnerBench } from '../helpers/runner-bench.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress, startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

const CHUNK = 128 * 1024;
const CHUNKS = 20;
const HOUR = 3600_000;

interface LongUpload {
  bench: RunnerBench;
  resultId: string;
  snapshotId: string;
  bytes: Buffer;
  sha256: string;
  send: (index: number) => Promise<void>;
  /** The companion ends and starts again, with its own look at what lies in `uploads`. */
  restart: () => Promise<void>;
  /** Everything recovery does, in the runner and in the uploads, `ms` milliseconds later. */
  passTime: (ms: number) => Promise<void>;
  /** All columns of the rows and all bytes of the upload folder. */
  rows: () => Record<'result' | 'snapshot' | 'crawl', unknown>;
  files: () => Record<string, string>;
}

/** An upload to a real server beside a real runner on the same collection; only the clock is set by hand. */
async function startLongUpload(): Promise<LongUpload> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  const root = temporaryFolder('long');
  const bench = await runnerBench(root);
  let server: UploadServer = await startUploadServer(root);
  const { token } = server;
  const { snapshotId, resultId } = await announceResult(server.collection, server.request);
  const bytes = randomBytes(CHUNKS * CHUNK);
  const sha256 = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const onlooker = new Db(bench.collection.layout.database());
  onTestFinished(() => onlooker.close());
  const row = (sql: string): unknown => onlooker.raw(sql, { id: snapshotId })[0];
  return {
    bench,
    resultId,
    snapshotId,
    bytes,
    sha256,
    send: async (index) => {
      const offset = index * CHUNK;
      const query = { path: 'page.html', offset, total: bytes.length, sha256, status: 'succeeded' };
      const answer = await server.request(chunkAddress(resultId, query), {
        method: 'PATCH',
        headers: { 'content-type': 'application/octet-stream', authorization: `Bearer ${token}` },
        body: bytes.subarray(offset, offset + CHUNK),
      });
      expect(answer.status, answer.body.toString()).toBe(200);
      expect(answer.headers['x-upload-received']).toBe(String(offset + CHUNK));
    },
    restart: async () => {
      await server.stop();
      server = await startUploadServer(root);
    },
    passTime: async (ms) => {
      vi.setSystemTime(Date.now() + ms);
      await bench.work();
      await server.uploads.removeSilent(Date.now());
    },
    rows: () => ({
      result: row('SELECT * FROM archive_result WHERE snapshot_id = :id'),
      snapshot: row('SELECT * FROM snapshot WHERE id = :id'),
      crawl: row('SELECT * FROM crawl WHERE id = (SELECT crawl_id FROM snapshot WHERE id = :id)'),
    }),
    files: () => {
      const uploads = bench.collection.layout.uploads();
      const names = fs.readdirSync(uploads, { recursive: true, encoding: 'utf8' });
      const files = names.filter((name) => fs.statSync(path.join(uploads, name)).isFile());
      return Object.fromEntries(files.map((name) => [name, fs.readFileSync(path.join(uploads, name), 'base64')]));
    },
  };
}

function recordedDigest({ bench, resultId }: LongUpload): string | undefined {
  return findOutput(bench.collection.db, resultId, 'page.html')?.digest;
}

it('recovery every 30 s beside an upload of ten minutes changes neither its row nor its bytes', async () => {
  const upload = await startLongUpload();
  const before = upload.rows();
  for (let index = 0; index < CHUNKS - 1; index += 1) {
    await upload.send(index);
    const files = upload.files();
    expect(Object.keys(files)).toHaveLength(2);
    if (index === CHUNKS / 2) await upload.restart();
    await upload.passTime(limits.recoveryIntervalMs);
    expect(upload.files()).toEqual(files);
    expect(upload.rows()).toEqual(before);
  }
  await upload.send(CHUNKS - 1);
  expect(recordedDigest(upload)).toBe(upload.sha256);
  expect(upload.files()).toEqual({});
  // Only now there is something to do for the runner.
  expect(upload.rows().snapshot).toMatchObject({ status: 'queued', due_at: Date.now() });
});

it.each([23, 25, 29 * 24])('an upload that was silent for %i hours goes on from where it was', async (hours) => {
  const upload = await startLongUpload();
  for (let index = 0; index < CHUNKS / 2; index += 1) await upload.send(index);
  const { result } = upload.rows();
  const files = upload.files();
  for (let day = 0; day < Math.ceil(hours / 24); day += 1) {
    await upload.passTime(Math.min(24, hours - day * 24) * HOUR);
    expect(upload.files()).toEqual(files);
    expect(upload.rows().result).toEqual(result);
    // A page whose captures are outstanding is never taken up, and never without a time to look at it again.
    expect(upload.rows().snapshot).toMatchObject({ status: 'queued', lease_generation: 0 });
    expect((upload.rows().snapshot as { due_at: number }).due_at).toBeGreaterThan(Date.now());
  }
  for (let index = CHUNKS / 2; index < CHUNKS; index += 1) await upload.send(index);
  expect(recordedDigest(upload)).toBe(upload.sha256);
});

it('an upload that was silent for 31 days loses its bytes, and its result stays announced', async () => {
  const upload = await startLongUpload();
  await upload.send(0);
  const { result } = upload.rows();
  await upload.passTime(31 * 24 * HOUR);
  expect(upload.files()).toEqual({});
  expect(upload.rows().result).toEqual(result);
  for (let index = 0; index < CHUNKS; index += 1) await upload.send(index);
  expect(recordedDigest(upload)).toBe(upload.sha256);
  expect(upload.rows().result).toMatchObject({ status: 'succeeded' });
});
