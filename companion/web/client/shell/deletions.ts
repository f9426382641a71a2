import { computed, signal } from '@preact/signals';
import { deleteSnapshot } from '../api/snapshots.ts';
import { RequestFailed } from '../api/request.ts';

/** How long the reader can take a deletion back, enough for slow hands. Nothing is deleted before. */
export const undoMs = 20_000;

interface Deletion {
  ids: string[];
  timer: ReturnType<typeof setTimeout>;
}

const pending = signal<Deletion | undefined>(undefined);
/** Deleted on the companion; a list loaded before may still hold them. */
const gone = signal<ReadonlySet<string>>(new Set());

/** What the toast tells about the last deletion. */
export const deletionNotice = signal<
  { kind: 'pending'; count: number } | { kind: 'failed'; sentence: string } | undefined
>(undefined);

/** Ids no list should show now. */
export const hiddenIds = computed<ReadonlySet<string>>(() => new Set([...gone.value, ...(pending.value?.ids ?? [])]));

/** Hides the snapshots and deletes them when the time to undo is over. An earlier deletion is carried out first. */
export function deleteWithUndo(ids: string[]): void {
  carryOut();
  pending.value = { ids, timer: setTimeout(carryOut, undoMs) };
  deletionNotice.value = { kind: 'pending', count: ids.length };
}

export function undoDeletion(): void {
  if (pending.value) clearTimeout(pending.value.timer);
  pending.value = undefined;
  deletionNotice.value = undefined;
}

export function dismissDeletionNotice(): void {
  deletionNotice.value = undefined;
}

/** Who closes the page after deleting meant it: what is pending is sent on the way out. */
export function flushDeletionsOnLeave(): void {
  addEventListener('pagehide', carryOut);
}

function carryOut(): void {
  const deletion = pending.value;
  if (!deletion) return;
  clearTimeout(deletion.timer);
  gone.value = new Set([...gone.value, ...deletion.ids]);
  pending.value = undefined;
  deletionNotice.value = undefined;
  for (const id of deletion.ids) void deleteOne(id);
}

async function deleteOne(id: string): Promise<void> {
  try {
    await deleteSnapshot(id);
  } catch (error) {
    gone.value = new Set([...gone.value].filter((other) => other !== id));
    if (!(error instanceof RequestFailed)) throw error;
    if (error.code === 'deleted' || error.code === 'not_found') return;
    deletionNotice.value = { kind: 'failed', sentence: `Not deleted. ${error.message}` };
  }
}
