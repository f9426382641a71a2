import fc from 'fast-check';
import { expect, test } from 'vitest';
import { spreadOnLine, windowAround } from './spread.ts';

test('dots stand by their time', () => {
  expect(spreadOnLine([0, 50, 100], 0.1)).toEqual([0, 0.5, 1]);
  expect(spreadOnLine([7], 0.1)).toEqual([0.5]);
  expect(spreadOnLine([], 0.1)).toEqual([]);
});

test('dots of one minute keep a distance that a finger can hit', () => {
  const placed = spreadOnLine([0, 1, 2, 1_000_000], 0.1);
  expect(placed[0]).toBeCloseTo(0);
  expect(placed[1]).toBeCloseTo(0.1);
  expect(placed[2]).toBeCloseTo(0.2);
  expect(placed[3]).toBe(1);
});

test('order and line are kept, and the distance wherever it fits', () => {
  const times = fc.array(fc.integer({ min: 0, max: 1e12 }), { minLength: 2, maxLength: 40 });
  fc.assert(
    fc.property(times, fc.double({ min: 0, max: 0.3, noNaN: true }), (unsorted, gap) => {
      const placed = spreadOnLine(
        unsorted.toSorted((a, b) => a - b),
        gap,
      );
      const room = Math.min(gap, 1 / (placed.length - 1));
      for (const [index, position] of placed.entries()) {
        expect(position).toBeGreaterThanOrEqual(0);
        expect(position).toBeLessThanOrEqual(1);
        if (index > 0) expect(position - placed[index - 1]!).toBeGreaterThanOrEqual(room - 1e-9);
      }
    }),
  );
});

test('the shown copy stays in sight among many', () => {
  const items = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  expect(windowAround(items, 5, 4)).toEqual([3, 4, 5, 6]);
  expect(windowAround(items, 0, 4)).toEqual([0, 1, 2, 3]);
  expect(windowAround(items, 9, 4)).toEqual([6, 7, 8, 9]);
  expect(windowAround(items, -1, 4)).toEqual([0, 1, 2, 3]);
  expect(windowAround([1], 0, 4)).toEqual([1]);
});
