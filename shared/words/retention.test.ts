import { expect, it } from 'vitest';
import { parseRetention } from './retention.ts';

const DAY_MS = 86_400_000;

it.each([
  ['1h', 3_600_000],
  ['30d', 30 * DAY_MS],
  ['2W', 14 * DAY_MS],
  ['6mo', 180 * DAY_MS],
  ['1y', 365 * DAY_MS],
  ...['', '0', 'none', 'false', 'OFF', false, undefined, 0].map((text) => [text, null]),
])('%s keeps for %s ms', (text, duration) => {
  expect(parseRetention(text)).toBe(duration);
});

it.each(['5m', '0d', '0h', 'soon', '-1d', '1.5d', '3'])('%s is refused by name', (text) => {
  expect(() => parseRetention(text)).toThrow(/DELETE_AFTER takes/);
});
