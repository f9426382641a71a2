import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { listSnapshots } from '../api/snapshots.ts';
import type { ListQuery } from '../api/snapshots.ts';

export const rowsPerStep = 50;
/** The most rows one answer of the companion holds. */
const rowsPerAnswerMax = 500;

export interface SnapshotList {
  items: SnapshotRecord[];
  total: number;
  more: boolean;
}

/** The first `wanted` rows, following the cursor over as many answers as that takes. */
export async function loadList(filters: ListQuery, wanted: number, signal: AbortSignal): Promise<SnapshotList> {
  const items: SnapshotRecord[] = [];
  let cursor: string | undefined;
  let total = 0;
  do {
    const limit = Math.min(rowsPerAnswerMax, wanted - items.length);
    const page = await listSnapshots({ ...filters, limit, ...(cursor === undefined ? {} : { cursor }) }, signal);
    items.push(...page.items);
    total = page.total_items;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && items.length < wanted);
  return { items: withoutRepeats(items), total, more: cursor !== undefined };
}

/** A row that moved to the next answer while this one was read would come twice. */
function withoutRepeats(items: SnapshotRecord[]): SnapshotRecord[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}
