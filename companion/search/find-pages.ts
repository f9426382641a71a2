import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { numberPhrase } from '../../shared/words/amounts.ts';
import { compileQuery, type CompiledQuery, type SearchFilters } from './compile-query.ts';
import type { SearchDatabase } from './search-database.ts';
import { parseQuery, type Condition, type Understood } from './parse-query.ts';

export interface FindOptions {
  limit: number;
  /** `next` of the answer before. */
  cursor?: string | undefined;
  filters: SearchFilters;
  typing: boolean;
}

export interface FoundPage {
  snapshotId: string;
  digest: string | null;
}

export interface Found {
  pages: FoundPage[];
  /** Pages that match; at least so many when `isAtLeast`. */
  total: number;
  isAtLeast: boolean;
  next: string | null;
  understood: Understood[];
  conditions: Condition[];
  note: string | undefined;
}

const hitsMax = limits.searchRankedHitsMax;
/** A word in the title says more about a page than one in its text. */
const ranking = 'bm25(page_text, 10.0, 4.0, 8.0, 6.0, 1.0)';

/**
 * Answers one query from the index. Words are ranked, at most the newest few thousand hits; without words the newest
 * pages come first. SQL calls `still_wanted()` at each row, which throws when nobody waits any more.
 */
export function findPages(database: SearchDatabase, text: string, options: FindOptions): Found {
  const { conditions, understood } = parseQuery(text, { typing: options.typing });
  const compiled = compileQuery(conditions, options.filters, (beginning) => completeShortWord(database, beginning));
  const hits =
    compiled.match === undefined ? listNewest(database, compiled, options) : rank(database, compiled, options);
  return { ...hits, pages: toPages(database, hits.ids), understood, conditions };
}

type Hits = Omit<Found, 'pages' | 'understood' | 'conditions'> & { ids: number[] };

function listNewest(database: SearchDatabase, query: CompiledQuery, options: FindOptions): Hits {
  const conditions = [...query.filters, ...(query.exclusion === undefined ? [] : [query.exclusion])];
  const below = options.cursor === undefined ? undefined : parseCursor('n', options.cursor);
  const select = (condition: readonly string[], limit: number): number[] =>
    allIds(
      database,
      `SELECT hit.id FROM (${query.driver}) AS hit ${where([...condition, 'still_wanted()'])} ORDER BY hit.id DESC LIMIT ${limit}`,
      {
        ...query.parameters,
        ...(below === undefined ? {} : { below }),
      },
    );
  const counted = select(conditions, hitsMax + 1).length;
  const ids = select(below === undefined ? conditions : [...conditions, 'hit.id < :below'], options.limit + 1);
  const page = ids.slice(0, options.limit);
  const next = ids.length > options.limit ? `n${page[page.length - 1]}` : null;
  return { ids: page, total: Math.min(counted, hitsMax), isAtLeast: counted > hitsMax, next, note: undefined };
}

function rank(database: SearchDatabase, query: CompiledQuery, options: FindOptions): Hits {
  const offset = options.cursor === undefined ? 0 : parseCursor('r', options.cursor);
  const from = `SELECT hit.rowid AS id FROM page_text AS hit WHERE page_text MATCH :match`;
  const filters = query.filters.map(onRowid);
  const parameters = { ...query.parameters, match: query.match! };
  // First the capped count, newest first; it also tells where the hits worth ranking begin.
  const newest = allIds(
    database,
    `${from} ${and([...filters, 'still_wanted()'])} ORDER BY hit.rowid DESC LIMIT ${hitsMax + 1}`,
    parameters,
  );
  const isAtLeast = newest.length > hitsMax;
  const hits = newest.slice(0, hitsMax);
  const parts = isAtLeast ? [] : findInNames(database, query, new Set(hits));
  const total = hits.length + parts.length;
  const oldest = hits[hits.length - 1];
  const ranked =
    oldest === undefined || offset >= hits.length
      ? []
      : allIds(
          database,
          `${from} ${and(['hit.rowid >= :oldest', ...filters, 'still_wanted()'])} ORDER BY ${ranking}, hit.rowid DESC LIMIT :limit OFFSET :offset`,
          { ...parameters, oldest, limit: options.limit, offset },
        );
  const partsFrom = Math.max(0, offset - hits.length);
  const ids = [...ranked, ...parts.slice(partsFrom, partsFrom + options.limit - ranked.length)];
  const next = offset + ids.length < total && ids.length > 0 ? `r${offset + ids.length}` : null;
  return { ids, total, isAtLeast, next, note: isAtLeast ? rankedNote() : undefined };
}

function rankedNote(): string {
  return `More than ${numberPhrase(hitsMax)} pages match; the best of the newest ${numberPhrase(hitsMax)} are shown.`;
}

/** Pages with the words inside longer words of title or address, newest first; they follow the ranked ones. */
function findInNames(database: SearchDatabase, query: CompiledQuery, known: ReadonlySet<number>): number[] {
  if (query.nameMatch === undefined) return [];
  const filters = [...query.filters, ...(query.exclusion === undefined ? [] : [query.exclusion])].map(onRowid);
  const sql = `SELECT hit.rowid AS id FROM page_name AS hit WHERE page_name MATCH :nameMatch ${and([...filters, 'still_wanted()'])}
    ORDER BY hit.rowid DESC LIMIT ${limits.searchNameHitsMax + known.size}`;
  const ids = allIds(database, sql, { ...query.parameters, nameMatch: query.nameMatch });
  return ids.filter((id) => !known.has(id)).slice(0, limits.searchNameHitsMax);
}

/** In a table of FTS5 the id is called rowid. */
function onRowid(condition: string): string {
  return condition.replaceAll('hit.id', 'hit.rowid');
}

function where(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}

function and(conditions: readonly string[]): string {
  return conditions.map((condition) => `AND ${condition}`).join(' ');
}

function allIds(database: SearchDatabase, sql: string, parameters: Record<string, string | number>): number[] {
  return database.prepare(sql).pluck().all(onlyNamed(sql, parameters)) as number[];
}

/** better-sqlite3 refuses parameters that the statement does not name. */
function onlyNamed(sql: string, parameters: Record<string, string | number>): Record<string, string | number> {
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => new RegExp(`:${name}\\b`).test(sql)));
}

function toPages(database: SearchDatabase, ids: readonly number[]): FoundPage[] {
  const find = database.prepare('SELECT snapshot_id AS snapshotId, digest FROM page WHERE id = ?');
  return ids.map((id) => find.get(id) as FoundPage | undefined).filter((page) => page !== undefined);
}

function completeShortWord(database: SearchDatabase, beginning: string): string[] {
  const sql = 'SELECT word FROM title_word WHERE word >= ? AND word < ? ORDER BY uses DESC LIMIT 16';
  return database.prepare(sql).pluck().all(beginning, `${beginning}\u{10ffff}`) as string[];
}

function parseCursor(kind: 'n' | 'r', text: string): number {
  const match = new RegExp(`^${kind}(-?\\d{1,16})$`).exec(text);
  if (!match) throw new HoldfastError('bad_request', 'This cursor is not one of ours; begin again without it.');
  return Number(match[1]);
}
