import { z } from '@hono/zod-openapi';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { pageSchema, snapshotSchema } from '../../shared/model/api-records.ts';
import { presentSnapshots } from '../collection/records/present.ts';
import { countSnapshots, listSnapshots, type SnapshotCursor } from '../collection/records/snapshots.ts';
import type { SnapshotRow } from '../collection/records/tables.ts';
import type { AppDeps } from './dependencies.ts';

/** ISO 8601, to milliseconds UTC. */
const timeSchema = z.iso
  .datetime({ offset: true })
  .or(z.iso.date())
  .transform((text) => Date.parse(text));

/** What the search understood and where the words stand, beside the page of snapshots it found. */
const searchSchema = z.object({
  understood: z.array(z.object({ kind: z.string(), text: z.string(), isExcluded: z.boolean() })),
  snippets: z.record(z.string(), z.array(z.object({ text: z.string(), hit: z.boolean() }))),
  is_at_least: z.boolean(),
  note: z.string().nullable(),
});

export const snapshotPageSchema = pageSchema(snapshotSchema).extend({ search: searchSchema.nullable() });
type SnapshotPage = z.infer<typeof snapshotPageSchema>;

export const pageQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).default(limits.listPageDefault),
  /** `next` of the page before. */
  cursor: z.string().optional(),
  search: z.string().optional(),
  tag: z.string().optional(),
  url: z.string().optional(),
  status: z.string().optional(),
  crawl_id: z.string().optional(),
  bookmarked_at__gte: timeSchema.optional(),
  bookmarked_at__lt: timeSchema.optional(),
  with_archiveresults: z.stringbool().default(false),
});
type PageQuery = z.infer<typeof pageQuerySchema>;

/** One page of snapshots, by the search index when `search` has words, else newest first. */
export async function listPage(deps: AppDeps, query: PageQuery, signal: AbortSignal): Promise<SnapshotPage> {
  const limit = Math.min(query.limit, limits.listPageMax);
  const wanted = query.search?.trim() ?? '';
  if (wanted !== '') return searchPage(deps, query, wanted, limit, signal);
  const rows = listSnapshots(
    deps.collection.db,
    {
      url: query.url,
      tag: query.tag,
      status: query.status,
      crawlId: query.crawl_id,
      from: query.bookmarked_at__gte,
      until: query.bookmarked_at__lt,
    },
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
  const filters = { tag: query.tag, from: query.bookmarked_at__gte, until: query.bookmarked_at__lt };
  const found = await deps.search.search(wanted, { limit, cursor: query.cursor, filters, signal });
  const { url, status, crawl_id: crawlId } = query;
  const rows =
    found.ids.length === 0 ? [] : listSnapshots(deps.collection.db, { ids: found.ids, url, status, crawlId }, limit);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const ordered = found.ids.map((id) => byId.get(id)).filter((row): row is SnapshotRow => row !== undefined);
  const page = envelope(deps, ordered, limit, found.total, found.next, query.with_archiveresults);
  const snippets = Object.fromEntries(found.snippets);
  const search = { understood: found.understood, snippets, is_at_least: found.isAtLeast, note: found.note ?? null };
  return { ...page, search };
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
    search: null,
  };
}

function parseCursor(text: string): SnapshotCursor {
  const match = /^(\d{1,16})~([0-9a-f-]{36})$/.exec(text);
  if (!match?.[1] || !match[2])
    throw new HoldfastError('bad_request', 'This cursor is not one of ours; begin again without it.');
  return { bookmarkedAt: Number(match[1]), id: match[2] };
}
