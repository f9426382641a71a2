import { createHash, randomBytes } from 'node:crypto';
import path from 'node:path';
import { expect, it } from 'vitest';
import { digestFromHex } from '../../shared/digest/digest.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { startCompanion } from '../helpers/companion.ts';
import { compileShim, shimEnvironment } from '../helpers/sync-shim.ts';
import { isSync, readSyscallLog, uploadOrderFaults, type SyscallEvent } from '../helpers/syscall-log.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { announceResult, chunkAddress } from '../helpers/upload-server.ts';

const shim = compileShim();
const octets = { 'content-type': 'application/octet-stream' };

it.skipIf('missing' in shim)(
  `a 200 means on disk: every sync comes before it, in order${'missing' in shim ? ` (${shim.missing})` : ''}`,
  async () => {
    if ('missing' in shim) return;
    const dataDir = temporaryFolder();
    const log = path.join(temporaryFolder(), 'calls');
    const companion = await startCompanion({
      dataDir,
      args: ['--no-runner'],
      env: shimEnvironment(shim.file, { root: dataDir, log }),
    });
    try {
      const { resultId, snapshotId } = await announceResult(companion.collection, companion.request);
      const bytes = randomBytes(300_000);
      const send = (from: number, to: number) =>
        companion.request(chunkAddress(resultId, { path: 'singlefile.html', offset: from, total: bytes.length }), {
          method: 'PATCH',
          headers: octets,
          body: bytes.subarray(from, to),
        });
      const before = readSyscallLog(log, companion.child.pid!).length;
      expect((await send(0, 100_000)).status).toBe(200);
      const middle = readSyscallLog(log, companion.child.pid!).length;
      expect((await send(100_000, bytes.length)).status).toBe(200);
      const events = readSyscallLog(log, companion.child.pid!);

      const snapshot = findSnapshot(companion.collection.db, snapshotId)!;
      const { layout } = companion.collection;
      const facts = { id: snapshot.id, owner: 'owner', createdAt: snapshot.created_at, url: snapshot.url };
      const place = {
        blob: layout.blob(digestFromHex(createHash('sha256').update(bytes).digest('hex'))),
        database: layout.database(),
        link: layout.output(facts, 'chrome_extension_singlefile', 'singlefile.html'),
      };
      expect(uploadOrderFaults(untilAnswer(events.slice(middle)), place)).toEqual([]);
      expectNeededSyncs(untilAnswer(events.slice(middle)), place);
      // The chunk before it was acknowledged as received: its bytes were synced, and no row was written.
      const first = untilAnswer(events.slice(before, middle));
      expect(first.some((event) => isSync(event) && path.basename(event.path) === 'part')).toBe(true);
      expect(first.some((event) => event.path === `${place.database}-wal`)).toBe(false);
    } finally {
      await companion.stop();
    }
  },
);

/** Takes away each sync in turn: without any one of them the proof must fail. */
function expectNeededSyncs(events: readonly SyscallEvent[], place: Parameters<typeof uploadOrderFaults>[1]): void {
  const part = events.find((event) => event.call === 'rename' && event.rest === place.blob)!.path;
  const needed = [
    part,
    path.dirname(part),
    path.dirname(place.blob),
    `${place.database}-wal`,
    path.dirname(place.link),
  ];
  const seen = new Set<string>();
  for (const [index, event] of events.entries()) {
    const record = path.basename(event.path).startsWith('upload.json.');
    if (!isSync(event) || !(record || needed.includes(event.path))) continue;
    seen.add(record ? 'upload.json' : event.path);
    const without = events.filter(
      (other, position) => position !== index && !(isSync(other) && other.path === event.path),
    );
    expect(uploadOrderFaults(without, place), `without the sync of ${event.path}`).not.toEqual([]);
  }
  expect([...seen].sort()).toEqual([...needed, 'upload.json'].sort());
}

function untilAnswer(events: readonly SyscallEvent[]): SyscallEvent[] {
  const answer = events.findIndex((event) => event.call === 'answer');
  return events.slice(0, answer + 1);
}
