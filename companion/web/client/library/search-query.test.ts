import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSearch, listFilters, parseSearch, partLabel } from './search-query.ts';

/** Parts in short: `-tag:old`. */
const short = (text: string) => parseSearch(text).map((part) => `${part.excluded ? '-' : ''}${part.kind}:${part.text}`);

test.each([
  ['', []],
  ['   ', []],
  ['tag:', []],
  ['tag:""', []],
  ['""', []],
  ['!!! 🙂', []],
  ['kelp "giant forest" hol*', ['word:kelp', 'word:giant forest', 'word:hol*']],
  ['tag:reading Tag:"field notes" -tag:old', ['tag:reading', 'tag:field notes', '-tag:old']],
  ['after:2026-03 before:2027 -dog', ['after:2026-03', 'before:2027', '-word:dog']],
  ['site:example.org url:/docs/', ['site:example.org', 'url:/docs/']],
  ['https://example.org/a?b', ['word:https://example.org/a?b']],
  ['after:yesterday after:2026-02-31', ['word:after:yesterday', 'word:after:2026-02-31']],
  ['"half a quote', ['word:half a quote']],
  ['مرحبا tag:日本語', ['word:مرحبا', 'tag:日本語']],
])('%j is understood as %o', (text, parts) => {
  expect(short(text)).toEqual(parts);
});

const searchText = fc.string({
  unit: fc.constantFrom(
    'a',
    'é',
    'tag:',
    'TAG:',
    'after:',
    'x:',
    '2026',
    '-03',
    ':',
    '"',
    ' ',
    '\t',
    'http://',
    '-',
    '*',
  ),
});

test('text made of parts is understood as the same parts', () => {
  fc.assert(
    fc.property(searchText, (text) => {
      const parts = parseSearch(text);
      expect(parseSearch(formatSearch(parts))).toEqual(parts);
    }),
  );
});

test('a chip says what its part asks for', () => {
  expect(parseSearch('kelp -tag:old after:2026').map(partLabel)).toEqual(['Word', 'Not tag', 'From']);
});

test.each([
  ['', {}],
  ['tag:"field notes"', { tag: 'field notes' }],
  ['-tag:old', { search: '-tag:old' }],
  ['tag:reading kelp', { search: 'tag:reading kelp*' }],
  ['kelp ', { search: 'kelp' }],
  ['kelp -dog', { search: 'kelp -dog' }],
  ['"kelp"', { search: '"kelp"' }],
  ['hol*', { search: 'hol*' }],
])('%j asks the list for %o', (text, filters) => {
  expect(listFilters(text)).toEqual(filters);
});
