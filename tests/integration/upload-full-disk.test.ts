import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import { findOutput, findResult } from '../../companion/collection/records/results.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress, startUploadServer } from '../helpers/upload-server.ts';

const MIB = 1024 * 1024;
const octets = { 'content-type': 'application/octet-stream' };
const reason = whyNoSmallDisk();

it.skipIf(reason !== undefined)(
  `a full disk is said in one sentence, loses nothing and shows nothing half${reason ? ` (${reason})` : ''}`,
  async () => {
    const disk = smallDisk();
    const server = await startUploadServer(path.join(disk, 'data'));
    const { resultId } = await announceResult(server.collection, server.request);
    const bytes = randomBytes(16 * MIB);
    const send = (offset: number, end: number, name = 'singlefile.html') =>
      server.request(chunkAddress(resultId, { path: name, offset, total: bytes.length }), {
        method: 'PATCH',
        headers: octets,
        body: bytes.subarray(offset, end),
      });
    expect((await send(0, 8 * MIB)).status).toBe(200);
    const filler = fillDisk(disk);

    const refused = await send(8 * MIB, bytes.length);
    expect(refused.status).toBe(507);
    expect(refused.json().code).toBe('disk_full');
    expect(refused.json().detail).toMatch(/^The disk .* full; free some space and try again\.$/);
    const [folder] = fs.readdirSync(server.collection.layout.uploads());
    expect(fs.statSync(path.join(server.collection.layout.upload(folder!), 'part')).size).toBe(8 * MIB);
    expect(findOutput(server.collection.db, resultId, 'singlefile.html')).toBeUndefined();

    // The reserve was given up: what happened can still be written down and read.
    const body = JSON.stringify({ status: 'started', error: 'The disk is full.' });
    expect((await server.request(routes.result(resultId), { method: 'PATCH', body })).status).toBe(200);
    expect(findResult(server.collection.db, resultId)!.error).toBe('The disk is full.');

    fs.rmSync(filler);
    expect((await send(8 * MIB, bytes.length)).status).toBe(200);
    const back = await server.request(routes.resultFile(resultId, 'singlefile.html'));
    expect(back.body.equals(bytes)).toBe(true);
    expect(fs.readdirSync(server.collection.layout.uploads())).toEqual([]);
  },
);

it.skipIf(reason !== undefined)(
  `a file the disk has no room for is refused before its first byte${reason ? ` (${reason})` : ''}`,
  async () => {
    const server = await startUploadServer(path.join(smallDisk(), 'data'));
    const { resultId } = await announceResult(server.collection, server.request);
    const address = chunkAddress(resultId, { path: 'a.bin', offset: 0, total: 64 * MIB });
    const answer = await server.request(address, { method: 'PATCH', headers: octets, body: randomBytes(1_000) });
    expect(answer.json()).toMatchObject({ code: 'disk_full', details: { limit: 'disk' } });
    expect(fs.readdirSync(server.collection.layout.uploads())).toEqual([]);
  },
);

function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'needs root on Linux to mount a small disk';
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-mount-'));
  try {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
    if (mounted) spawnSync('umount', [folder]);
    return mounted ? undefined : 'mounting is not allowed here';
  } finally {
    fs.rmdirSync(folder);
  }
}

/** A disk of 48 MiB that is gone when the test is over. */
function smallDisk(): string {
  const folder = temporaryFolder('holdfast-disk');
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder]);
  expect(mounted.status).toBe(0);
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return folder;
}

/** Takes what is left of the disk, to the last page. */
function fillDisk(disk: string): string {
  const file = path.join(disk, 'filler');
  const handle = fs.openSync(file, 'w');
  try {
    for (const size of [MIB, 4096]) while (written(handle, size));
  } finally {
    fs.closeSync(handle);
  }
  return file;
}

function written(handle: number, size: number): boolean {
  try {
    return fs.writeSync(handle, Buffer.alloc(size)) > 0;
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    return false;
  }
}
