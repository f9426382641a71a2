import { z } from '@hono/zod-openapi';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import type { SnapshotRecord } from '../../shared/model/api-records.ts';
import { presentSnapshots } from '../collection/records/present.ts';
import { countSnapshots, listSnapshots, type SnapshotCursor } from '../collection/records/snapshots.ts';
import type { SnapshotRow } from '../collection/records/tables.ts';
import type { AppDeps } from './dependencies.ts';

export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).default(limits.listPageDefault),
  /** `next` of the page before. */
  cursor: z.string().optional(),
  search: z.string().optional(),
  tag: z.string().optional(),
  url: z.string().optional(),
  status: z.string().optional(),
  crawl_id: z.string().optional(),
  with_archiveresults: z.stringbool().default(false),
});
type PageQuery = z.infer<typeof pageQuerySchema>;

interface SnapshotPage {
  count: number;
  total_items: number;
  total_pages: number;
  page: number;
  limit: number;
  offset: number;
  num_items: number;
  items: SnapshotRecord[];
  next: string | null;
}

/** One page of snapshots, by the search index when `search` has words, else newest first. */
export async function listPage(deps: AppDeps, query: PageQuery, signal: AbortSignal): Promise<SnapshotPage> {
  const limit = Math.min(query.limit, limits.listPageMax);
  const wanted = query.search?.trim() ?? '';
  if (wanted !== '') return searchPage(deps, query, wanted, limit, signal);
  const rows = listSnapshots(
    deps.collection.db,
    { url: query.url, tag: query.tag, status: query.status, crawlId: query.crawl_id },
    limit + 1,
    query.cursor === undefined ? undefined : parseCursor(query.cursor),
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > limit && last ? `${last.bookmarked_at}~${last.id}` : null;
  const filtered = query.url ?? query.tag ?? query.status ?? query.crawl_id;
  const total = filtered === undefined ? countSnapshots(deps.collection.db) : page.length;
  return envelope(deps, page, limit, total, next, query.with_archiveresults);
}

async function searchPage(
  deps: AppDeps,
  query: PageQuery,
  wanted: string,
  limit: number,
  signal: AbortSignal,
): Promise<SnapshotPage> {
  const found = await deps.search.search(wanted, { limit, cursor: query.cursor, signal });
  const rows = found.ids.length === 0 ? [] : listSnapshots(deps.collection.db, { ids: found.ids }, limit);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ordered = found.ids.map((id) => byId.get(id)).filter((row): row is SnapshotRow => row !== undefined);
  return envelope(deps, ordered, limit, found.total, found.next, query.with_archiveresults);
}

function envelope(
  deps: AppDeps,
  rows: readonly SnapshotRow[],
  limit: number,
  total: number,
  next: string | null,
  withResults: boolean,
): SnapshotPage {
  const items = presentSnapshots(deps.collection, rows, { withResults });
  const pages = Math.max(1, Math.ceil(total / limit));
  return {
    count: total,
    total_items: total,
    total_pages: pages,
    page: 0,
    limit,
    offset: 0,
    num_items: items.length,
    items,
    next,
  };
}

function parseCursor(text: string): SnapshotCursor {
  const match = /^(\d{1,16})~([0-9a-f-]{36})$/.exec(text);
  if (!match?.[1] || !match[2])
    throw new HoldfastError('bad_request', 'This cursor is not one of ours; begin again without it.');
  return { bookmarkedAt: Number(match[1]), id: match[2] };
}
