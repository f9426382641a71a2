import { expect, test } from 'vitest';
import { keepKnown, nothingSelected, select } from './selection.ts';

const order = ['a', 'b', 'c', 'd', 'e'];
const pick = (id: string, toHere = false, selected = true) => ({ id, selected, toHere });

test('shift takes every row from the last one touched, in both directions', () => {
  const down = select(select(nothingSelected, order, pick('b')), order, pick('d', true));
  expect([...down.ids].sort()).toEqual(['b', 'c', 'd']);
  const up = select(down, order, pick('a', true));
  expect([...up.ids].sort()).toEqual(['a', 'b', 'c', 'd']);
});

test('a range can be taken back', () => {
  const all = select(select(nothingSelected, order, pick('a')), order, pick('e', true));
  const fewer = select(select(all, order, pick('b', false, false)), order, pick('d', true, false));
  expect([...fewer.ids].sort()).toEqual(['a', 'e']);
});

test('shift without an earlier row selects that row alone', () => {
  expect([...select(nothingSelected, order, pick('c', true)).ids]).toEqual(['c']);
  const gone = { ids: new Set(['x']), anchor: 'x' };
  expect([...select(gone, order, pick('c', true)).ids].sort()).toEqual(['c', 'x']);
});

test('rows that left the list leave the selection', () => {
  const selection = { ids: new Set(['a', 'x']), anchor: 'x' };
  expect([...keepKnown(selection, order).ids]).toEqual(['a']);
  const whole = { ids: new Set(['a']), anchor: 'a' };
  expect(keepKnown(whole, order)).toBe(whole);
});
