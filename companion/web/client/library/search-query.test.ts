import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSearch, listFilters, parseSearch } from './search-query.ts';

test('words, tags, quoted names and dates are told apart', () => {
  expect(parseSearch('kelp "giant forest" tag:reading Tag:"field notes" after:2026-03 before:2027')).toEqual([
    { kind: 'word', text: 'kelp' },
    { kind: 'word', text: 'giant forest' },
    { kind: 'tag', name: 'reading' },
    { kind: 'tag', name: 'field notes' },
    { kind: 'after', from: Date.UTC(2026, 2, 1), text: '2026-03' },
    { kind: 'before', until: Date.UTC(2027, 0, 1), text: '2027' },
  ]);
});

test.each([
  ['', []],
  ['   ', []],
  ['tag:', []],
  ['tag:""', []],
  ['""', []],
  ['https://example.org/a?b', [{ kind: 'word', text: 'https://example.org/a?b' }]],
  ['after:yesterday', [{ kind: 'word', text: 'after:yesterday' }]],
  ['after:2026-02-31', [{ kind: 'word', text: 'after:2026-02-31' }]],
  ['"half a quote', [{ kind: 'word', text: 'half a quote' }]],
  ['مرحبا tag:日本語', [{ kind: 'word', text: 'مرحبا' }, { kind: 'tag', name: '日本語' }]],
])('%j reads as %o', (text, parts) => {
  expect(parseSearch(text)).toEqual(parts);
});

const searchText = fc.string({
  unit: fc.constantFrom('a', 'é', 'tag:', 'TAG:', 'after:', 'x:', '2026', '-03', ':', '"', ' ', '\t', 'http://'),
});

test('text made of parts is understood as the same parts', () => {
  fc.assert(
    fc.property(searchText, (text) => {
      const parts = parseSearch(text);
      expect(parseSearch(formatSearch(parts))).toEqual(parts);
    }),
  );
});

test('the list is asked with words together, the tag and the narrowest dates', () => {
  expect(listFilters(parseSearch('kelp "giant forest" tag:reading after:2025 after:2026-03-04 before:2027 before:2028'))).toEqual({
    search: 'kelp "giant forest"',
    tag: 'reading',
    bookmarked_at__gte: '2026-03-04T00:00:00.000Z',
    bookmarked_at__lt: '2027-01-01T00:00:00.000Z',
  });
  expect(listFilters([])).toEqual({});
});
