/**
 * What the reader typed into the search box, understood as the companion's search does: words, "phrases", beginnings
 * with `*`, `tag:`, `site:`, `url:`, `after:`, `before:`, each turned round by a leading `-`. Here it is only taken
 * apart to be shown as chips; the companion decides.
 */
export interface Part {
  kind: 'word' | 'tag' | 'site' | 'url' | 'after' | 'before';
  text: string;
  excluded: boolean;
}

const PART = /-?(?:(?:tag|url|site|before|after):)?"[^"]*"?|\S+/giu;
const KEYED = /^(tag|url|site|before|after):(.*)$/isu;
const DATE = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/;

export function parseSearch(text: string): Part[] {
  return (text.match(PART) ?? []).flatMap((token) => {
    const part = parseToken(token);
    return part ? [part] : [];
  });
}

function parseToken(token: string): Part | undefined {
  const excluded = token.startsWith('-') && token.length > 1;
  const body = excluded ? token.slice(1) : token;
  const [, key, rest] = KEYED.exec(body) ?? [];
  if (key === undefined) return wordPart(body, excluded);
  const text = withoutQuotes(rest ?? '');
  // A half-typed `tag:` asks for nothing yet.
  if (text === '') return undefined;
  const kind = key.toLowerCase() as Part['kind'];
  if ((kind === 'after' || kind === 'before') && !isDate(text)) return wordPart(body, excluded);
  return { kind, text, excluded };
}

function wordPart(body: string, excluded: boolean): Part | undefined {
  const text = withoutQuotes(body);
  return /[\p{L}\p{N}]/u.test(text) ? { kind: 'word', text, excluded } : undefined;
}

/** Quotes only hold words together; they are never searched for. */
function withoutQuotes(text: string): string {
  return text.replaceAll('"', '').trim();
}

/** Whether this is a year, month or day that exists. */
function isDate(text: string): boolean {
  const [, year, month = '1', day = '1'] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** The parts as text again; parsing it gives the same parts. */
export function formatSearch(parts: readonly Part[]): string {
  return parts.map(formatPart).join(' ');
}

function formatPart({ kind, text, excluded }: Part): string {
  const sign = excluded ? '-' : '';
  if (kind !== 'word') return `${sign}${kind}:${/\s/.test(text) ? `"${text}"` : text}`;
  const plain = parseToken(text);
  const needsQuotes = /\s/.test(text) || plain?.kind !== 'word' || plain.text !== text || plain.excluded;
  return sign + (needsQuotes ? `"${text}"` : text);
}

const kindLabels: Record<Part['kind'], string> = {
  word: 'Word',
  tag: 'Tag',
  site: 'Site',
  url: 'Address',
  after: 'From',
  before: 'Before',
};

/** How a chip names its part. */
export function partLabel(part: Part): string {
  return part.excluded ? `Not ${kindLabels[part.kind].toLowerCase()}` : kindLabels[part.kind];
}

/**
 * The list route's parameters for this text. A tag alone is asked from the rows, which are never behind; all else
 * from the search index, the last word as a beginning, because it may still be typed.
 */
export function listFilters(text: string): { search?: string; tag?: string } {
  const parts = parseSearch(text);
  const [first] = parts;
  if (!first) return {};
  if (parts.length === 1 && first.kind === 'tag' && !first.excluded) return { tag: first.text };
  const last = parts.at(-1)!;
  const unfinished = last.kind === 'word' && !last.excluded && !/[\s"*]$/.test(text);
  return { search: unfinished ? `${text.trim()}*` : text.trim() };
}
