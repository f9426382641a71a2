import { expect, test } from 'vitest';
import { countFrames } from './frame-count.ts';

test('a page without frames is one', () => {
  expect(countFrames([{ path: [], children: 0 }])).toBe(1);
});

test('a frame that took no script is counted by the one that holds it', () => {
  expect(
    countFrames([
      { path: [], children: 2 },
      { path: [1], children: 0 },
    ]),
  ).toBe(3);
});

test('a frame inside a silent one does not stand in for it', () => {
  const answered = [
    { path: [], children: 3 },
    { path: [1], children: 0 },
    { path: [2], children: 0 },
    { path: [0, 0], children: 0 },
  ];
  expect(countFrames(answered) - answered.length).toBe(1);
});
