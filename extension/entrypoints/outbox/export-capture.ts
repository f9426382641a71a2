import type { Outcome } from '../../messaging/messages.ts';
import { filesOf } from '../../outbox/capture-record.ts';
import { openOutboxStore } from '../../outbox/outbox-store.ts';
import type { OutboxStore } from '../../outbox/outbox-store.ts';

/** Blob addresses are given back after the browser has surely begun to save. */
const RELEASE_MS = 60_000;

/** Saves every file of a capture that is still in this browser as a download. The outbox keeps its own copy. */
export async function exportCapture(captureId: string): Promise<Outcome> {
  const store = await openOutboxStore();
  const record = await store.find(captureId);
  const files = record ? filesOf(record) : [];
  let saved = 0;
  for (const file of files) {
    const pieces = await piecesOf(store, captureId, file.path);
    if (pieces.length === 0) continue;
    save(
      new Blob(pieces, { type: 'application/octet-stream' }),
      `holdfast-${captureId.slice(0, 8)}-${file.path.replaceAll('/', '-')}`,
    );
    saved += 1;
  }
  if (saved === 0) return { ok: false, sentence: 'This browser holds no files of it any more; look in the library.' };
  return {
    ok: true,
    sentence: `Saved ${saved === 1 ? '1 file' : `${saved} files`} to your downloads. The page stays in the list.`,
  };
}

async function piecesOf(store: OutboxStore, captureId: string, path: string): Promise<Uint8Array<ArrayBuffer>[]> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let index = 0; ; index += 1) {
    const piece = await store.findPiece(captureId, path, index);
    if (!piece) return pieces;
    pieces.push(piece);
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), RELEASE_MS);
}
