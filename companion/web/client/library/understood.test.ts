import { expect, test } from 'vitest';
import type { Understood } from '../api/snapshots.ts';
import { parseSearch } from './search-query.ts';
import { chipLabels, leftOut, lookedFor } from './understood.ts';

const part = (kind: Understood['kind'], text: string, isExcluded = false): Understood => ({ kind, text, isExcluded });

test('a chip is called as the companion took its part, while the answer belongs to the text', () => {
  const typed = parseSearch('tag:sea !! "giant kelp" hold');
  const answer = [part('tag', 'sea'), part('ignored', '!!'), part('phrase', 'giant kelp'), part('prefix', 'hold')];
  expect(chipLabels(typed, answer)).toEqual(['Tag', 'Phrase', 'Begins with']);
  expect(chipLabels(parseSearch('-kelp hold*'), [part('word', 'kelp', true), part('prefix', 'hold')])).toEqual([
    'Not word',
    'Begins with',
  ]);
  expect(chipLabels(parseSearch('tag:sea other'), [part('prefix', 'oth')])).toEqual(['Tag', 'Word']);
  expect(chipLabels(typed, [])).toEqual(['Tag', 'Word', 'Word']);
});

test('what was looked for is one sentence', () => {
  expect(lookedFor([part('word', 'kelp'), part('tag', 'sea'), part('after', '2026-03')])).toBe(
    'Looked for the word “kelp”, the tag “sea”, and pages kept since 2026-03.',
  );
  expect(lookedFor([part('prefix', 'ho'), part('site', 'a.org', true)])).toBe(
    'Looked for words that begin with “ho”, without the site a.org.',
  );
  expect(lookedFor([part('word', 'land', true)])).toBe('Looked for everything without the word “land”.');
  expect(lookedFor([part('ignored', '!!')])).toBe('');
  expect(leftOut([part('ignored', '!!'), part('word', 'a')])).toBe('“!!” asked for nothing and was left out.');
  expect(leftOut([part('word', 'a')])).toBe('');
});
