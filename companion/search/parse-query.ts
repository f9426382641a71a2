import { toQueryTerm, type QueryTerm } from './fold-text.ts';

/**
 * The query language: words (all must occur), `"phrases"`, `beginning*`, `tag:`, `url:`, `site:`, `after:` and
 * `before:` with a year, month or day in UTC, each turned round by a leading `-`. Every text is a query: what is no
 * condition is a word, what holds no letter is ignored.
 */
export interface Condition {
  kind: 'word' | 'phrase' | 'prefix' | 'tag' | 'url' | 'site' | 'after' | 'before';
  /** As typed, without quotes and key. */
  text: string;
  isExcluded: boolean;
  /** Tokens of word, phrase, prefix and url; empty for the others. */
  term: QueryTerm;
  /** Start of the named year, month or day in milliseconds; only for dates. */
  at: number;
}

/** How one part of the query was taken, for showing it as a chip. */
export interface Understood {
  kind: Condition['kind'] | 'ignored';
  text: string;
  isExcluded: boolean;
}

export interface ParsedQuery {
  conditions: Condition[];
  understood: Understood[];
}

const QUERY_LENGTH_MAX = 2_000;
const CONDITIONS_MAX = 32;

const PART = /-?(?:(?:tag|url|site|before|after):)?"[^"]*"?|\S+/giu;
const KEYED = /^(tag|url|site|before|after):(.*)$/isu;
const DATE = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/;

/**
 * Never throws. `typing`: the last word may be unfinished, so its beginning counts, unless white space, a quote or
 * one or two letters only stand there (see `completeShortWord`).
 */
export function parseQuery(text: string, options: { typing: boolean }): ParsedQuery {
  const query = text.slice(0, QUERY_LENGTH_MAX);
  const parts = query.match(PART) ?? [];
  const parsed: ParsedQuery = { conditions: [], understood: [] };
  parts.forEach((part, index) => {
    const isLast = index === parts.length - 1;
    const unfinished = options.typing && isLast && !/[\s"*]$/u.test(query);
    const condition = parsed.conditions.length < CONDITIONS_MAX ? parsePart(part, unfinished) : undefined;
    if (condition) parsed.conditions.push(condition);
    if (condition)
      parsed.understood.push({ kind: condition.kind, text: condition.text, isExcluded: condition.isExcluded });
    else parsed.understood.push({ kind: 'ignored', text: part, isExcluded: false });
  });
  return parsed;
}

function parsePart(part: string, unfinished: boolean): Condition | undefined {
  const isExcluded = part.startsWith('-') && part.length > 1;
  const body = isExcluded ? part.slice(1) : part;
  const [, key, rest] = KEYED.exec(body) ?? [];
  const keyed = key === undefined ? undefined : parseKeyed(key.toLowerCase(), withoutQuotes(rest ?? ''), isExcluded);
  if (keyed !== undefined) return keyed === 'nothing' ? undefined : keyed;
  const text = withoutQuotes(body);
  const term = toQueryTerm(text);
  if (term.tokens.length === 0) return undefined;
  if (body.startsWith('"')) return { kind: 'phrase', text, isExcluded, term, at: 0 };
  if (/.\*$/u.test(text)) return { kind: 'prefix', text: text.replace(/\*+$/u, ''), isExcluded, term, at: 0 };
  return { kind: unfinished && !isExcluded ? 'prefix' : 'word', text, isExcluded, term, at: 0 };
}

/** Undefined: this is a word after all. `nothing`: half-typed, asks for nothing yet. */
function parseKeyed(key: string, value: string, isExcluded: boolean): Condition | 'nothing' | undefined {
  if (value === '') return 'nothing';
  if (key === 'before' || key === 'after') {
    const at = dateStart(value);
    return at === undefined ? undefined : { kind: key, text: value, isExcluded, term: { tokens: [], words: [] }, at };
  }
  if (key === 'tag') return { kind: 'tag', text: value, isExcluded, term: { tokens: [], words: [] }, at: 0 };
  const host = key === 'site' ? hostOf(value) : undefined;
  if (host !== undefined) return { kind: 'site', text: host, isExcluded, term: { tokens: [], words: [] }, at: 0 };
  const term = toQueryTerm(value);
  return term.tokens.length === 0 ? 'nothing' : { kind: 'url', text: value, isExcluded, term, at: 0 };
}

function withoutQuotes(text: string): string {
  return text.replaceAll('"', '').trim();
}

/** The host of what was typed after `site:`; undefined for a word without a dot, which can only be part of an address. */
function hostOf(value: string): string | undefined {
  const address = /^[a-z]+:\/\//i.test(value) ? value : `http://${value}`;
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '').replace(/\.$/, '') : '';
  return host.includes('.') || host === 'localhost' || host.startsWith('[') ? host : undefined;
}

/** Start of a year, month or day in UTC; undefined when the text is no date. */
function dateStart(text: string): number | undefined {
  const [, year, month = '1', day = '1'] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const start = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(start);
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? start : undefined;
}
