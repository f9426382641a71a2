import { expect, it } from 'vitest';
import { WorkSlots } from './work-slots.ts';

const GIB = 1024 ** 3;

/** Fetching snapshots that are begun before none may be any more; each takes 384 MiB of what is free. */
function begun(setting: number, cores: number, memoryFree: number): number {
  let free = memoryFree;
  const slots = new WorkSlots(() => setting, { cores: () => cores, memoryFree: () => free });
  let count = 0;
  while (slots.isFetchFree && count < 100) {
    slots.take(String((count += 1)), { kind: 'fetch', crawlId: 'a' });
    free -= 384 * 1024 ** 2;
  }
  return count;
}

it.each([
  ['as many as the setting says', 3, 8, 64 * GIB, 3],
  ['at most one for each core', 16, 4, 64 * GIB, 4],
  ['at most what fits into memory', 16, 16, 2 * GIB, 4],
  ['one, however little there is', 4, 4, 0, 1],
])('begins %s', (_what, setting, cores, memory, expected) => {
  expect(begun(setting, cores, memory)).toBe(expected);
});

it('follows the setting while it works, and always leaves one place to captures of a browser', () => {
  let setting = 2;
  const slots = new WorkSlots(() => setting, { cores: () => 8, memoryFree: () => 64 * GIB });
  slots.take('one', { kind: 'fetch', crawlId: 'a' });
  slots.take('two', { kind: 'fetch', crawlId: 'a' });
  expect([slots.isFetchFree, slots.isFree]).toEqual([false, true]);
  setting = 3;
  expect(slots.isFetchFree).toBe(true);
  setting = 1;
  expect([slots.isFetchFree, slots.isFree]).toEqual([false, false]);
  slots.free('one');
  expect(slots.isFree).toBe(true);
  expect(slots.crawls()).toEqual(new Map([['a', 1]]));
});
