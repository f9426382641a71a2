import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from './parse-query.ts';

function kinds(text: string, typing = false): string[] {
  return parseQuery(text, { typing }).understood.map(
    (part) => `${part.isExcluded ? '-' : ''}${part.kind}:${part.text}`,
  );
}

test('words, phrases, exclusions and conditions are told apart', () => {
  expect(kinds('cats "black cat" -dog tag:work tag:"two words" -tag:old')).toEqual([
    'word:cats',
    'phrase:black cat',
    '-word:dog',
    'tag:work',
    'tag:two words',
    '-tag:old',
  ]);
  expect(kinds('site:www.Example.org site:wikipedia url:/docs/ http://a.test/b')).toEqual([
    'site:example.org',
    'url:wikipedia',
    'url:/docs/',
    'word:http://a.test/b',
  ]);
});

test('dates are the start of a year, month or day in UTC; what is no date is a word', () => {
  const [after, before] = parseQuery('after:2026-03 before:2026-03-09', { typing: false }).conditions;
  expect(after?.at).toBe(Date.parse('2026-03-01T00:00:00Z'));
  expect(before?.at).toBe(Date.parse('2026-03-09T00:00:00Z'));
  expect(kinds('after:2026-02-31 before:soon')).toEqual(['word:after:2026-02-31', 'word:before:soon']);
});

test('while typing, the last word counts as a beginning until it is finished', () => {
  expect(kinds('red hol', true)).toEqual(['word:red', 'prefix:hol']);
  expect(kinds('red hol ', true)).toEqual(['word:red', 'word:hol']);
  expect(kinds('"red hol', true)).toEqual(['phrase:red hol']);
  expect(kinds('red hol')).toEqual(['word:red', 'word:hol']);
  expect(kinds('hol* fast')).toEqual(['prefix:hol', 'word:fast']);
  expect(kinds('red -hol', true)).toEqual(['word:red', '-word:hol']);
});

test('what asks for nothing is ignored and shown as such', () => {
  expect(kinds('tag: - "" !!! 🙂 word')).toEqual([
    'ignored:tag:',
    'ignored:-',
    'ignored:""',
    'ignored:!!!',
    'ignored:🙂',
    'word:word',
  ]);
});

test('no text is refused', () => {
  const pieces = fc.constantFrom(
    '"',
    '-',
    '*',
    ':',
    '(',
    ')',
    'AND',
    'NEAR',
    'tag:',
    'site:',
    'before:',
    '^',
    '{',
    ' ',
    'a',
    '漢',
    '\u0000',
    "'",
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(pieces).map((list) => list.join('')),
      ),
      fc.boolean(),
      (text, typing) => {
        const { conditions, understood } = parseQuery(text, { typing });
        expect(understood.length).toBeGreaterThanOrEqual(conditions.length);
      },
    ),
  );
});
