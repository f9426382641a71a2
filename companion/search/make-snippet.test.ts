import { expect, test } from 'vitest';
import { makeSnippet, snippetPattern, type SnippetSegment } from './make-snippet.ts';
import { parseQuery } from './parse-query.ts';

function snippet(text: string, query: string): SnippetSegment[] {
  return makeSnippet(text, snippetPattern(parseQuery(query, { typing: false }).conditions)!);
}
const hits = (segments: SnippetSegment[]): string[] =>
  segments.filter((segment) => segment.hit).map((segment) => segment.text);
const whole = (segments: SnippetSegment[]): string => segments.map((segment) => segment.text).join('');

test('words are marked as they are written, whatever their case and marks', () => {
  const segments = snippet('The Crème Brûlée of cre\u0301me town, creme', 'creme "brulee of"');
  expect(hits(segments)).toEqual(['Crème', 'Brûlée of', 'créme', 'creme']);
  expect(whole(segments)).toBe('The Crème Brûlée of créme town, creme');
});

test('only whole words are marked, or beginnings where one was asked for', () => {
  expect(hits(snippet('cat catalogue concat', 'cat'))).toEqual(['cat']);
  expect(hits(snippet('cat catalogue concat', 'cat*'))).toEqual(['cat', 'cat']);
  expect(hits(snippet('Straße und strasse', 'strasse'))).toEqual(['Straße', 'strasse']);
});

test('parts of unspaced text are marked', () => {
  expect(hits(snippet('昨日、東京都で新しいiPhoneが発売された。', '京都 iphone 発売'))).toEqual([
    '京都',
    'iPhone',
    '発売',
  ]);
  expect(hits(snippet('ภาษาไทยเป็นภาษาที่สวยงาม', 'สวยงาม'))).toEqual(['สวยงาม']);
});

test('the place with most of the words is shown, cut between words, with what is left out told', () => {
  const filler = 'lorem ipsum dolor sit amet '.repeat(3_000);
  const segments = snippet(`apple ${filler} the red apple and the green pear ${filler}`, 'apple pear');
  expect(hits(segments)).toEqual(['apple', 'pear']);
  expect(whole(segments)).toMatch(/^… \w.* the red apple and the green pear lorem .* …$/);
  expect(whole(segments).length).toBeLessThan(260);
});

test('markup in the text stays text, lines become one', () => {
  expect(snippet('a <b>bold</b>\n\n\tmove', 'bold')).toEqual([
    { text: 'a <b>', hit: false },
    { text: 'bold', hit: true },
    { text: '</b> move', hit: false },
  ]);
});

test('a text without the words shows its beginning', () => {
  expect(snippet('short text', 'absent')).toEqual([{ text: 'short text', hit: false }]);
});
