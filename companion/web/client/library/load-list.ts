import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { listSnapshots } from '../api/snapshots.ts';
import type { ListQuery, SnippetPiece, Understood } from '../api/snapshots.ts';

export const rowsPerStep = 50;
/** The most rows one answer of the companion holds. */
const rowsPerAnswerMax = 500;

export interface SnapshotList {
  items: SnapshotRecord[];
  total: number;
  more: boolean;
  /** How the companion took the search; empty without one. */
  understood: Understood[];
  /** Where the words stand, by snapshot. */
  snippets: Record<string, SnippetPiece[]>;
  /** A sentence about limits of this answer. */
  note: string | null;
}

/** The first `wanted` rows, following the cursor over as many answers as that takes. */
export async function loadList(filters: ListQuery, wanted: number, signal: AbortSignal): Promise<SnapshotList> {
  const items: SnapshotRecord[] = [];
  let cursor: string | undefined;
  let total = 0;
  const said: Pick<SnapshotList, 'understood' | 'snippets' | 'note'> = { understood: [], snippets: {}, note: null };
  do {
    const limit = Math.min(rowsPerAnswerMax, wanted - items.length);
    const page = await listSnapshots({ ...filters, limit, ...(cursor === undefined ? {} : { cursor }) }, signal);
    items.push(...page.items);
    total = page.total_items;
    if (page.search) {
      const { understood, note, snippets } = page.search;
      Object.assign(said, { understood, note, snippets: { ...said.snippets, ...snippets } });
    }
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < wanted);
  return { items: withoutRepeats(items), total, more: cursor !== undefined, ...said };
}

/** A row that moved to the next answer while this one was read would come twice. */
function withoutRepeats(items: SnapshotRecord[]): SnapshotRecord[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
