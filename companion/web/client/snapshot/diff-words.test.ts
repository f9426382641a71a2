import fc from 'fast-check';
import { expect, test } from 'vitest';
import { diffWords } from './diff-words.ts';

const shown = (older: string, newer: string) =>
  diffWords(older, newer)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'added' ? '+' : '-'}[${text}]`))
    .join('');

test.each([
  ['kelp holds to rock', 'kelp holds to rock', 'kelp holds to rock'],
  ['kelp holds to rock', 'giant kelp holds to rock', '+[giant ]kelp holds to rock'],
  ['kelp holds to old rock', 'kelp holds to rock', 'kelp holds to -[old ]rock'],
  ['kelp holds to sand now', 'kelp holds to rock now', 'kelp holds to -[sand ]+[rock ]now'],
  ['', 'new', '+[new]'],
  ['old', '', '-[old]'],
  ['', '', ''],
])('%j to %j is %j', (older, newer, marked) => {
  expect(shown(older, newer)).toBe(marked);
});

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', 'ab ', '  '), { maxLength: 40 })
  .map((parts) => parts.join(''));

test('both texts can be read back from the marks', () => {
  fc.assert(
    fc.property(text, text, (older, newer) => {
      const stretches = diffWords(older, newer);
      const without = (kind: string) =>
        stretches
          .filter((stretch) => stretch.kind !== kind)
          .map((stretch) => stretch.text)
          .join('');
      expect(without('added')).toBe(older);
      expect(without('removed')).toBe(newer);
    }),
  );
});

test('two different books are told apart as wholes instead of word by word', () => {
  const book = (word: string) => Array.from({ length: 20_000 }, (_, index) => `${word}${index}`).join(' ');
  expect(diffWords(book('a'), book('b')).map((stretch) => stretch.kind)).toEqual(['removed', 'added']);
});
