import { z } from '@hono/zod-openapi';
import { limits } from '../../shared/limits.ts';
import type { archiveResultSchema, pageSchema } from '../../shared/model/api-records.ts';
import { isId, normalizeId } from '../../shared/model/ids.ts';
import { toResultStatus } from '../../shared/protocol/result-fields.ts';
import { listResults, type ResultFilter, type ResultPage } from '../collection/records/list-results.ts';
import { presentResults } from '../collection/records/present.ts';
import type { ArchiveResultRow } from '../collection/records/tables.ts';
import type { AppDeps } from './dependencies.ts';
import { requireId } from './routes/snapshots.ts';

/** Filters of the list of results (reference 1.4); all of them must hold. */
export const resultQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).default(limits.listPageDefault),
  offset: z.coerce.number().int().min(0).default(0),
  page: z.coerce.number().int().min(0).default(0),
  cursor: z.string().optional(),
  id: z.string().optional(),
  /** Words of the page (as the library's search takes them), a plugin, or the id of a result or snapshot. */
  search: z.string().optional(),
  snapshot_id: z.string().optional(),
  snapshot_url: z.string().optional(),
  snapshot_tag: z.string().optional(),
  status: z.string().optional(),
  plugin: z.string().optional(),
  hook_name: z.string().optional(),
  process_id: z.string().optional(),
});
type ResultQuery = z.infer<typeof resultQuerySchema>;
type ResultPageAnswer = z.infer<ReturnType<typeof pageSchema<typeof archiveResultSchema>>>;

/** One page of results, newest first. With `search` those of the best 500 pages are looked through. */
export async function listResultPage(
  deps: AppDeps,
  query: ResultQuery,
  signal: AbortSignal,
): Promise<ResultPageAnswer> {
  const limit = Math.min(query.limit, limits.listPageMax);
  const offset = query.offset === 0 ? query.page * limit : query.offset;
  const filter: ResultFilter = {
    id: query.id && requireId(query.id),
    snapshotId: query.snapshot_id && requireId(query.snapshot_id),
    snapshotUrl: query.snapshot_url,
    snapshotTag: query.snapshot_tag,
    status: query.status && toResultStatus(query.status),
    plugin: query.plugin,
    hookName: query.hook_name,
    processId: query.process_id,
  };
  const wanted = query.search?.trim() ?? '';
  const filters = wanted === '' ? [filter] : await searchFilters(deps, wanted, filter, signal);
  const rows = listUnion(deps, filters, { limit: limit + 1, skip: offset, afterId: query.cursor });
  const shown = rows.slice(0, limit);
  const items = presentResults(deps.collection, shown);
  // Counting all results of a large collection takes seconds; what is known here is whether more follow.
  const total = offset + rows.length;
  const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : null;
  const pages = Math.max(1, Math.ceil(total / limit));
  return {
    count: total,
    total_items: total,
    total_pages: pages,
    page: query.page,
    limit,
    offset,
    num_items: items.length,
    items,
    next,
  };
}

/** What a search may mean, each served by an index of its own. */
async function searchFilters(
  deps: AppDeps,
  wanted: string,
  filter: ResultFilter,
  signal: AbortSignal,
): Promise<ResultFilter[]> {
  const id = normalizeId(wanted);
  if (id !== undefined && isId(id)) {
    return [
      { ...filter, id: sameOr(filter.id, id) },
      { ...filter, snapshotId: sameOr(filter.snapshotId, id) },
    ];
  }
  const found = await deps.search.search(wanted, { limit: limits.listPageMax, signal });
  const byPlugin = { ...filter, plugin: sameOr(filter.plugin, wanted) };
  return [{ ...filter, snapshotIds: found.ids }, byPlugin];
}

/** Both conditions on one field: nothing has two values. */
function sameOr(given: string | undefined, wanted: string): string {
  return given === undefined || given === wanted ? wanted : '';
}

/** Rows that fit any of the filters, newest first, each once. */
function listUnion(deps: AppDeps, filters: readonly ResultFilter[], page: ResultPage): ArchiveResultRow[] {
  const { db } = deps.collection;
  const [only, ...others] = filters;
  if (only && others.length === 0) return listResults(db, only, page);
  const whole = { ...page, limit: page.skip + page.limit, skip: 0 };
  const rows = new Map(filters.flatMap((filter) => listResults(db, filter, whole)).map((row) => [row.id, row]));
  const newestFirst = [...rows.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  return newestFirst.slice(page.skip, page.skip + page.limit);
}
