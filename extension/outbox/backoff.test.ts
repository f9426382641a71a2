import { expect, test } from 'vitest';
import { retryDelayMs } from './backoff.ts';

test('waits grow up to five minutes and are spread', () => {
  expect(retryDelayMs(0, 0, undefined)).toBe(1_000);
  expect(retryDelayMs(0, 1, undefined)).toBe(2_000);
  expect(retryDelayMs(3, 0.5, undefined)).toBe(12_000);
  expect(retryDelayMs(100, 1, undefined)).toBe(300_000);
});

test('what the companion asks for is not undercut', () => {
  expect(retryDelayMs(0, 0, 60_000)).toBe(60_000);
  expect(retryDelayMs(20, 1, 1_000)).toBe(300_000);
});
