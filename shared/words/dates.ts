const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * A time as a person says it: "just now", "5 minutes ago", "today 14:05", "yesterday 9:12", "Tuesday 9:12",
 * "12 March", "12 March 2024". Both times in milliseconds; `timeZone` for tests. A time of the future (clocks differ)
 * reads as "just now" up to five minutes, then as a date.
 */
export function datePhrase(timeMs: number, nowMs: number, timeZone?: string): string {
  const age = nowMs - timeMs;
  if (age < MINUTE_MS && age > -5 * MINUTE_MS) return 'just now';
  if (age > 0 && age < HOUR_MS) return agoPhrase(Math.floor(age / MINUTE_MS), 'minute');
  const days = dayNumber(nowMs, timeZone) - dayNumber(timeMs, timeZone);
  if (days === 0) return `today ${clock(timeMs, timeZone)}`;
  if (days === 1) return `yesterday ${clock(timeMs, timeZone)}`;
  if (days > 1 && days < 7) return `${part(timeMs, { weekday: 'long' }, timeZone)} ${clock(timeMs, timeZone)}`;
  const sameYear = part(timeMs, { year: 'numeric' }, timeZone) === part(nowMs, { year: 'numeric' }, timeZone);
  return part(timeMs, { day: 'numeric', month: 'long', ...(sameYear ? {} : { year: 'numeric' }) }, timeZone);
}

/** The exact time, for hover: "Thursday, 12 March 2026 at 14:05:09 GMT+1". */
export function exactTime(timeMs: number, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long', timeZone }).format(timeMs);
}

/** Time left in whole minutes or seconds: "9 minutes", "40 seconds"; nothing left is "0 seconds". */
export function timeLeftPhrase(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
}

function agoPhrase(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

function part(timeMs: number, options: Intl.DateTimeFormatOptions, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(timeMs);
}

function clock(timeMs: number, timeZone?: string): string {
  return part(timeMs, { hour: 'numeric', minute: '2-digit', hourCycle: 'h23' }, timeZone);
}

/** Number of the calendar day in that zone, so that "yesterday" follows the calendar and not 24 hours. */
function dayNumber(timeMs: number, timeZone?: string): number {
  const iso = new Intl.DateTimeFormat('en-CA', { year: 'numeric', month: '2-digit', day: '2-digit', timeZone }).format(
    timeMs,
  );
  return Math.round(Date.parse(`${iso}T00:00:00Z`) / DAY_MS);
}
