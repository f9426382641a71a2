import { witnessPlugins } from '../../shared/model/states.ts';
import type { CompanionClient } from '../companion-client/companion-client.ts';
import { createSnapshot, editSnapshot, reportMissing, startResult } from '../companion-client/collection-requests.ts';
import { confirmedBytesOf } from './capture-record.ts';
import type { CaptureRecord, WitnessRecord } from './capture-record.ts';
import type { OutboxStore } from './outbox-store.ts';
import { sendFile } from './send-file.ts';
import { captureSent, fileConfirmed, witnessReported } from './transitions.ts';

export interface SendDoors {
  client: CompanionClient;
  store: OutboxStore;
  /** Called as bytes arrive: how much of the capture the companion has. */
  onProgress: (captureId: string, sentBytes: number) => void;
}

/**
 * Brings one capture to the companion: snapshot, then every witness, files in their order, failures with their reason.
 * Every step is remembered before the next, and each may be repeated without harm. Bytes are forgotten only at the
 * end, so that a capture deleted over there meanwhile is still whole here.
 * @throws CompanionFailure
 */
export async function sendCapture(doors: SendDoors, captureId: string): Promise<void> {
  const record = await doors.store.find(captureId);
  if (!record) return;
  if (record.stage === 'discarding') return sendDiscard(doors, record);
  await announce(doors, record);
  for (const witness of record.witnesses) {
    if (!witness.reported) await sendWitness(doors, record, witness);
  }
  await sendEdit(doors, captureId);
  await doors.store.changeAndForgetBytes(captureId, captureSent);
}

/** Sends changes the person made after the capture was complete over there. */
export async function sendEdit(doors: SendDoors, captureId: string): Promise<void> {
  const record = await doors.store.find(captureId);
  const edit = record?.unsentEdit;
  if (!record || !edit) return;
  await editSnapshot(doors.client, record.snapshotId, { title: edit.title, tags: edit.tags, notes: edit.note });
  await doors.store.change(captureId, (now) => (same(now.unsentEdit, edit) ? { ...now, unsentEdit: null } : now));
}

async function announce(doors: SendDoors, record: CaptureRecord): Promise<void> {
  await createSnapshot(doors.client, {
    id: record.snapshotId,
    url: record.url,
    depth: 0,
    title: record.title === '' ? null : record.title,
    title_origin: record.titleOrigin,
    tags: record.tags,
    notes: record.note,
    source: 'browser',
    expected_captures: record.witnesses.map((witness) => witnessPlugins[witness.kind]),
    bookmarked_at: new Date(record.at).toISOString(),
  });
  await doors.store.change(record.id, (now) => ({ ...now, announced: true }));
}

async function sendWitness(doors: SendDoors, record: CaptureRecord, witness: WitnessRecord): Promise<void> {
  const plugin = witnessPlugins[witness.kind];
  if (witness.outcome !== 'kept') {
    const status = witness.outcome === 'skipped' ? 'skipped' : 'failed';
    await reportMissing(doors.client, record.snapshotId, plugin, status, witness.note);
  } else {
    const result = await startResult(doors.client, record.snapshotId, plugin);
    for (const file of witness.files) {
      if (file.confirmed) continue;
      const before = await confirmedBytes(doors, record.id);
      await sendFile(doors.client, doors.store, {
        captureId: record.id,
        resultId: result.id,
        file,
        status: file === witness.files.at(-1) ? 'succeeded' : 'started',
        onProgress: (bytes) => doors.onProgress(record.id, before + bytes),
      });
      await doors.store.change(record.id, (now) => fileConfirmed(now, file.path));
    }
  }
  await doors.store.change(record.id, (now) => witnessReported(now, witness.kind));
}

/** The companion stops waiting for what will not come; then nothing of the capture is left here. */
async function sendDiscard(doors: SendDoors, record: CaptureRecord): Promise<void> {
  for (const witness of record.witnesses) {
    if (witness.reported) continue;
    const plugin = witnessPlugins[witness.kind];
    await reportMissing(doors.client, record.snapshotId, plugin, 'failed', witness.note);
    await doors.store.change(record.id, (now) => witnessReported(now, witness.kind));
  }
  await doors.store.remove(record.id);
}

async function confirmedBytes(doors: SendDoors, id: string): Promise<number> {
  const record = await doors.store.find(id);
  return record ? confirmedBytesOf(record) : 0;
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
