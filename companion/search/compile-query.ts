import { foldTagName } from '../collection/records/tags.ts';
import { foldText, isUnspaced } from './fold-text.ts';
import { hostKey, hostKeyEnd } from './host-key.ts';
import { firstIdAt } from './page-ids.ts';
import type { Condition } from './parse-query.ts';

/** Narrows a search beside its text, for lists with filters of their own. Times in milliseconds, `until` exclusive. */
export interface SearchFilters {
  tag?: string | undefined;
  from?: number | undefined;
  until?: number | undefined;
}

/** A query as SQL over the tables of the index. All conditions name the row as `hit.id`. */
export interface CompiledQuery {
  /** MATCH expression over `page_text`; undefined when no word has to occur. */
  match: string | undefined;
  /** MATCH expression over `page_name` for pages that hold the words inside words of title or address. */
  nameMatch: string | undefined;
  /** Where the hits come from when no word has to occur, with its own condition: `SELECT ... AS id FROM ...`. */
  driver: string;
  /** Further conditions on `hit.id`, each complete. */
  filters: string[];
  /** The excluded words as a condition on `hit.id`, for hits that do not come from `match`. */
  exclusion: string | undefined;
  parameters: Record<string, string | number>;
}

/** Completes a beginning of one or two letters, which FTS5 could answer only by reading a good part of the index. */
export type CompleteShortWord = (beginning: string) => string[];

const isText = (condition: Condition): boolean => ['word', 'phrase', 'prefix'].includes(condition.kind);

/** Turns conditions into SQL. Values travel as parameters or as quoted tokens that hold only letters and digits. */
export function compileQuery(
  conditions: readonly Condition[],
  filters: SearchFilters,
  complete: CompleteShortWord,
): CompiledQuery {
  const texts = conditions.filter(isText);
  const wanted = texts.filter((condition) => !condition.isExcluded).map((condition) => matchPart(condition, complete));
  const excluded = texts.filter((condition) => condition.isExcluded).map((condition) => matchPart(condition, complete));
  const query: CompiledQuery = {
    match: undefined,
    nameMatch: nameMatch(texts.filter((condition) => !condition.isExcluded)),
    driver: '',
    filters: [],
    exclusion: undefined,
    parameters: {},
  };
  if (wanted.length > 0) {
    query.match = wanted.join(' AND ') + (excluded.length > 0 ? ` NOT (${excluded.join(' OR ')})` : '');
  }
  if (excluded.length > 0) {
    query.parameters.excluded = excluded.join(' OR ');
    query.exclusion = `hit.id NOT IN (SELECT rowid FROM page_text WHERE page_text MATCH :excluded AND still_wanted())`;
  }
  const drivers: string[] = [];
  if (filters.tag !== undefined) addTag(query, drivers, filters.tag, false);
  for (const condition of conditions) {
    if (condition.kind === 'tag') addTag(query, drivers, condition.text, condition.isExcluded);
    if (condition.kind === 'site') addSite(query, drivers, condition);
    if (condition.kind === 'url') addUrl(query, drivers, condition);
  }
  addDates(query, conditions, filters);
  query.driver = drivers[0] ?? 'SELECT id FROM page';
  return query;
}

function matchPart(condition: Condition, complete: CompleteShortWord): string {
  const { tokens } = condition.term;
  const last = tokens[tokens.length - 1]!;
  const quoted = `"${tokens.join(' ')}"`;
  // Every letter of an unspaced script begins a token, so that a single one is found as a beginning.
  if (isUnspaced(last)) return condition.kind === 'prefix' || [...last].length === 1 ? `${quoted} *` : quoted;
  if (condition.kind !== 'prefix') return quoted;
  if ([...last].length > 2) return `${quoted} *`;
  if (tokens.length > 1) return `"${tokens.slice(0, -1).join(' ')}"`;
  return `(${[last, ...complete(last)].map((word) => `"${word}"`).join(' OR ')})`;
}

function nameMatch(texts: readonly Condition[]): string | undefined {
  const parts = texts.map((condition) => foldText(condition.text.replace(/\*+$/, '')).replaceAll('\0', ' '));
  if (parts.length === 0 || parts.some((part) => [...part].length < 3)) return undefined;
  return parts.map(quote).join(' AND ');
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function parameterName(query: CompiledQuery): string {
  return `p${Object.keys(query.parameters).length}`;
}

function addTag(query: CompiledQuery, drivers: string[], name: string, isExcluded: boolean): void {
  const parameter = parameterName(query);
  query.parameters[parameter] = foldTagName(name.trim());
  if (!isExcluded) drivers.push(`SELECT page_id AS id FROM page_tag WHERE tag = :${parameter}`);
  const exists = `EXISTS (SELECT 1 FROM page_tag WHERE tag = :${parameter} AND page_id = hit.id)`;
  query.filters.push(isExcluded ? `NOT ${exists}` : exists);
}

function addSite(query: CompiledQuery, drivers: string[], condition: Condition): void {
  const parameter = parameterName(query);
  const key = hostKey(condition.text);
  query.parameters[parameter] = key;
  query.parameters[`${parameter}end`] = hostKeyEnd(key);
  const range = `host_key >= :${parameter} AND host_key < :${parameter}end`;
  if (!condition.isExcluded) drivers.push(`SELECT id FROM page WHERE ${range}`);
  const exists = `EXISTS (SELECT 1 FROM page WHERE page.id = hit.id AND ${range})`;
  query.filters.push(condition.isExcluded ? `NOT ${exists}` : exists);
}

/** Any part of the address from three letters on; below that whole beginnings of its words. */
function addUrl(query: CompiledQuery, drivers: string[], condition: Condition): void {
  const parameter = parameterName(query);
  const part = foldText(condition.text).replaceAll('\0', ' ');
  const isPart = [...part].length >= 3;
  query.parameters[parameter] = isPart ? `url : ${quote(part)}` : `url : "${condition.term.tokens.join(' ')}"`;
  const table = isPart ? 'page_name' : 'page_text';
  const hits = `FROM ${table} WHERE ${table} MATCH :${parameter} AND still_wanted()`;
  if (!condition.isExcluded) drivers.push(`SELECT rowid AS id ${hits}`);
  query.filters.push(`hit.id ${condition.isExcluded ? 'NOT ' : ''}IN (SELECT rowid ${hits})`);
}

function addDates(query: CompiledQuery, conditions: readonly Condition[], filters: SearchFilters): void {
  const dates = conditions.filter((condition) => condition.kind === 'after' || condition.kind === 'before');
  const isFrom = (condition: Condition): boolean => (condition.kind === 'after') !== condition.isExcluded;
  const from = [filters.from, ...dates.filter(isFrom).map((condition) => condition.at)].filter(
    (time) => time !== undefined,
  );
  const until = [
    filters.until,
    ...dates.filter((condition) => !isFrom(condition)).map((condition) => condition.at),
  ].filter((time) => time !== undefined);
  if (from.length > 0) {
    query.parameters.from = firstIdAt(Math.max(...from));
    query.filters.push('hit.id >= :from');
  }
  if (until.length > 0) {
    query.parameters.until = firstIdAt(Math.min(...until));
    query.filters.push('hit.id < :until');
  }
}
