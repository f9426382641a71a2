import { expect, test } from 'vitest';
import { datePhrase, exactTime, timeLeftPhrase } from './dates.ts';

const at = (text: string) => Date.parse(text);
const now = at('2026-03-12T14:05:00Z');

test.each([
  ['2026-03-12T14:04:30Z', 'just now'],
  ['2026-03-12T14:06:00Z', 'just now'],
  ['2026-03-12T14:04:00Z', '1 minute ago'],
  ['2026-03-12T13:35:00Z', '30 minutes ago'],
  ['2026-03-12T09:12:00Z', 'today 9:12'],
  ['2026-03-12T00:03:00Z', 'today 0:03'],
  ['2026-03-11T23:59:00Z', 'yesterday 23:59'],
  ['2026-03-10T08:00:00Z', 'Tuesday 8:00'],
  ['2026-03-05T08:00:00Z', '5 March'],
  ['2024-12-31T08:00:00Z', '31 December 2024'],
  ['2026-05-01T08:00:00Z', '1 May'],
])('%s reads as "%s"', (time, phrase) => {
  expect(datePhrase(at(time), now, 'UTC')).toBe(phrase);
});

test('yesterday follows the calendar of the reader, not 24 hours', () => {
  expect(datePhrase(at('2026-03-12T12:00:00Z'), now, 'Pacific/Kiritimati')).toBe('today 2:00');
  expect(datePhrase(at('2026-03-12T09:00:00Z'), now, 'Pacific/Kiritimati')).toBe('yesterday 23:00');
});

test('the exact time names weekday, date, seconds and zone', () => {
  expect(exactTime(now, 'UTC')).toMatch(/^Thursday,? 12 March 2026 at 14:05:00 UTC$/);
});

test.each([
  [-5, '0 seconds'],
  [900, '1 second'],
  [42_000, '42 seconds'],
  [600_000, '10 minutes'],
])('%d ms left reads as "%s"', (left, phrase) => {
  expect(timeLeftPhrase(left)).toBe(phrase);
});
