import { expect, test } from 'vitest';
import { continueRows, nextStop, pictureName } from './stitch.ts';

/** Scrolls a page as the screenshot does and returns how many rows the picture has at the end. */
function stitchWhole(pageHeight: number, viewportHeight: number, scale: number): number {
  const shotRows = Math.round(viewportHeight * scale);
  let rows = 0;
  for (let stop: number | undefined = 0; stop !== undefined; stop = nextStop(stop, pageHeight, viewportHeight, scale)) {
    const slice = continueRows(rows, stop, scale, shotRows);
    if (!slice) throw new Error(`rows are missing at ${stop}`);
    rows += slice.count;
  }
  return rows;
}

test.each([
  ['a page of one view', 700, 700, 1],
  ['a page shorter than the view', 300, 700, 1],
  ['a whole number of views', 2_100, 700, 1],
  ['a last view that overlaps', 30_000, 713, 1],
  ['two device pixels to one', 5_001, 713, 2],
  ['a scale between whole numbers', 9_999, 571, 1.25],
  ['a small odd scale', 7_777, 643, 0.9],
])('%s becomes one picture without a gap', (_name, pageHeight, viewportHeight, scale) => {
  const expected = Math.round(Math.max(pageHeight, viewportHeight) * scale);
  expect(Math.abs(stitchWhole(pageHeight, viewportHeight, scale) - expected)).toBeLessThanOrEqual(1);
});

test('a shot below the end of the picture does not continue it', () => {
  expect(continueRows(700, 701, 1, 700)).toBeUndefined();
});

test('a shot that shows nothing new gives no rows', () => {
  expect(continueRows(700, 0, 1, 700)).toEqual({ from: 700, count: 0 });
});

test('the files of a tall picture are numbered from the second on', () => {
  expect([0, 1, 12].map(pictureName)).toEqual(['screenshot.png', 'screenshot-1.png', 'screenshot-12.png']);
});
