import { HoldfastError } from '../errors/holdfast-error.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const unitMs: Readonly<Record<string, number>> = {
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
  mo: 30 * DAY_MS,
  y: 365 * DAY_MS,
};
const forEver = new Set(['', '0', 'none', 'false', 'off']);

/**
 * How long pages are kept, from `DELETE_AFTER` (reference 3.6): `<n><unit>` with h, d, w, mo (30 days) or y (365 days),
 * at least an hour; 0, nothing, none, false or off keep for ever. Milliseconds, or null for ever. Throws `bad_request`.
 */
export function parseRetention(value: unknown): number | null {
  const text = String(value ?? '')
    .trim()
    .toLowerCase();
  if (forEver.has(text)) return null;
  const match = /^(\d{1,6})(h|d|w|mo|y)$/.exec(text);
  const duration = Number(match?.[1]) * (unitMs[match?.[2] ?? ''] ?? Number.NaN);
  if (duration >= HOUR_MS) return duration;
  throw new HoldfastError(
    'bad_request',
    `DELETE_AFTER takes a number and a unit, such as 12h, 30d, 8w, 6mo or 2y, or 0 to keep for ever; not ${JSON.stringify(text.slice(0, 40))}.`,
  );
}

/** The part of a crawl's configuration that says so; nothing for ever. Throws `bad_request`. */
export function retentionConfig(value: unknown): { DELETE_AFTER?: string } {
  return parseRetention(value) === null ? {} : { DELETE_AFTER: String(value) };
}
