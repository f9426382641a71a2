import { expect, test } from 'vitest';
import { foldText, foldedWords, toIndexText, toQueryTerm } from './fold-text.ts';

test.each([
  ['Crème BRÛLÉE', 'creme brulee'],
  ['Łódź, Straße, Ærø', 'lodz, strasse, aero'],
  ['İstanbul ve Iğdır', 'istanbul ve igdir'],
  ['Ｆｕｌｌ　ｗｉｄｔｈ', 'full width'],
  ['ﬁne co\u00adop\u00aderate', 'fine cooperate'],
  ['مُحَمَّد', 'محمد'],
  ['שָׁלוֹם', 'שלום'],
  ['ёлка', 'елка'],
  ['ガギグ ﾊﾟﾝ', 'ガギグ パン'],
  ['한국어', '한국어'],
  ['ΟΔΟΣ', 'οδοσ'],
])('"%s" folds to "%s"', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});

test('vowels of scripts that need them stay apart from one another', () => {
  expect(foldText('हिन्दी')).not.toBe(foldText('हन्दा'));
  expect(foldText('กำลัง')).not.toBe(foldText('กาลง'));
});

test('text without spaces becomes pairs, so that each of its parts can be found', () => {
  expect(toIndexText('東京都').trim().split(' ')).toEqual(['東京', '京都', '都']);
  expect(toQueryTerm('京都').tokens).toEqual(['京都']);
  expect(toQueryTerm('都').tokens).toEqual(['都']);
  expect(toQueryTerm('東京 大阪').tokens).toEqual(['東京', '京', '大阪']);
  expect(toQueryTerm('iPhone発売').tokens).toEqual(['iphone', '発売']);
});

test('punctuation alone is no term', () => {
  expect(toQueryTerm('--- "!" 🙂').tokens).toEqual([]);
  expect(toQueryTerm('foo-bar.baz').words).toEqual(['foo', 'bar', 'baz']);
});

test('words for completion leave out unspaced scripts', () => {
  expect(foldedWords('Über 東京, twice: über')).toEqual(['uber', 'twice', 'uber']);
});
