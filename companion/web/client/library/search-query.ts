/**
 * What the reader typed into the search box, understood: words, `tag:name`, `after:2026-03`, `before:2026`. Each part
 * can be shown as a chip and removed without retyping the rest.
 */
export type Part =
  | { kind: 'word'; text: string }
  | { kind: 'tag'; name: string }
  | { kind: 'after'; from: number; text: string }
  | { kind: 'before'; until: number; text: string };

const TOKEN = /(?:(?:tag|after|before):)?"[^"]*"?|\S+/gi;
const KEYED = /^(tag|after|before):(.*)$/is;
const DATE = /^(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?$/;

export function parseSearch(text: string): Part[] {
  return (text.match(TOKEN) ?? []).flatMap((token) => {
    const part = parseToken(token);
    return part ? [part] : [];
  });
}

function parseToken(token: string): Part | undefined {
  const [, key, rest] = KEYED.exec(token) ?? [];
  const value = withoutQuotes(rest ?? '');
  if (key === undefined) return wordPart(token);
  // A half-typed `tag:` asks for nothing yet.
  if (value === '') return undefined;
  const kind = key.toLowerCase();
  if (kind === 'tag') return { kind: 'tag', name: value };
  const start = dateStart(value);
  if (start === undefined) return wordPart(token);
  return kind === 'after' ? { kind: 'after', from: start, text: value } : { kind: 'before', until: start, text: value };
}

function wordPart(token: string): Part | undefined {
  const text = withoutQuotes(token);
  return text === '' ? undefined : { kind: 'word', text };
}

/** Quotes only hold words together; they are never searched for. */
function withoutQuotes(text: string): string {
  return text.replaceAll('"', '').trim();
}

/** Start of a year, month or day in UTC; undefined when the text is no date. */
function dateStart(text: string): number | undefined {
  const [, year, month = '1', day = '1'] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const start = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const date = new Date(start);
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day) ? start : undefined;
}

/** The parts as text again; parsing it gives the same parts. */
export function formatSearch(parts: Part[]): string {
  return parts.map(formatPart).join(' ');
}

function formatPart(part: Part): string {
  if (part.kind === 'word') return /\s/.test(part.text) || KEYED.test(part.text) ? `"${part.text}"` : part.text;
  if (part.kind === 'tag') return `tag:${/\s/.test(part.name) ? `"${part.name}"` : part.name}`;
  return `${part.kind}:${part.text}`;
}

/** How a chip names its part. */
export function partLabel(part: Part): { kind: string; text: string } {
  if (part.kind === 'word') return { kind: 'Word', text: part.text };
  if (part.kind === 'tag') return { kind: 'Tag', text: part.name };
  return { kind: part.kind === 'after' ? 'From' : 'Before', text: part.text };
}

/** The list route's parameters for these parts; of several tags or dates the last one counts for the route. */
export function listFilters(parts: Part[]): {
  search?: string;
  tag?: string;
  bookmarked_at__gte?: string;
  bookmarked_at__lt?: string;
} {
  const words = parts.flatMap((part) => (part.kind === 'word' ? [formatPart(part)] : []));
  const tags = parts.flatMap((part) => (part.kind === 'tag' ? [part.name] : []));
  const from = parts.flatMap((part) => (part.kind === 'after' ? [part.from] : []));
  const until = parts.flatMap((part) => (part.kind === 'before' ? [part.until] : []));
  return {
    ...(words.length > 0 ? { search: words.join(' ') } : {}),
    ...(tags.length > 0 ? { tag: tags.at(-1) } : {}),
    ...(from.length > 0 ? { bookmarked_at__gte: new Date(Math.max(...from)).toISOString() } : {}),
    ...(until.length > 0 ? { bookmarked_at__lt: new Date(Math.min(...until)).toISOString() } : {}),
  };
}
