import { afterAll, beforeAll, expect, test } from 'vitest';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { createSearch, type Search, type SearchOptions } from '../../companion/search/search.ts';
import { keepPage } from '../helpers/kept-pages.ts';

let folder: string;
let collection: Collection;
let search: Search;
const names = new Map<string, string>();

/** Made once: queries change nothing. */
const pages: Record<string, Parameters<typeof keepPage>[1]> = {
  cooking: {
    url: 'https://food.example.org/soup?id=7',
    title: 'Crème de légumes',
    tags: ['Kitchen', 'winter food'],
    text: 'Boil the onions slowly. A holdfast recipe.',
  },
  kelp: {
    url: 'https://www.sea.example.org/kelp',
    title: 'Kelp forests',
    tags: ['nature'],
    notes: 'read again in spring',
    text: 'A holdfast anchors the kelp to the rock. The rock is old.',
  },
  rocks: {
    url: 'https://example.net/rocks-and-more',
    title: 'Old rocks and a stone',
    text: 'Every rock tells a story. Granite, basalt, rock salt.',
    bookmarkedAt: Date.parse('2020-06-15T12:00:00Z'),
  },
  tokyo: {
    url: 'https://example.jp/news',
    title: '東京都の天気',
    text: '明日は東京都で雨が降るでしょう。新しいiPhoneが発売された。',
  },
  thai: { url: 'https://example.th/', title: 'ข่าววันนี้', text: 'ภาษาไทยเป็นภาษาที่สวยงามมาก' },
  arabic: { url: 'https://example.eg/', title: 'مُحَمَّد والقَمَر', text: 'كان القمر جميلا في تلك الليلة' },
  korean: { url: 'https://example.kr/', title: '학교에서', text: '나는 학교에서 공부한다' },
  hindi: { url: 'https://example.in/', title: 'हिन्दी समाचार', text: 'आज मौसम अच्छा है' },
  munich: { url: 'https://de.example.org/wiki/M%C3%BCnchen', title: 'Die Straße', text: 'Łódź liegt in Polen.' },
  numbers: {
    url: 'https://shop.example.com/item-4711',
    title: 'Item 4711 — C++ for 19.99 €',
    text: 'foo-bar_baz. Stone, stone and more stone; stones of all sorts.',
  },
};

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-query-'));
  collection = await openCollection(folder);
  for (const [name, facts] of Object.entries(pages)) names.set(await keepPage(collection, facts), name);
  search = createSearch({ collection, log: { warn: failOn }, isFollowing: false });
  await search.catchUp();
});
afterAll(async () => {
  await search.close();
  collection.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

function failOn(sentence: unknown): void {
  throw new Error(String(sentence));
}

async function find(query: string, options: Partial<SearchOptions> = {}): Promise<string[]> {
  const { ids } = await search.search(query, { limit: 50, ...options });
  return ids.map((id) => names.get(id) ?? id);
}
const findSorted = async (query: string, options?: Partial<SearchOptions>): Promise<string[]> =>
  (await find(query, options)).sort();

test.each([
  ['holdfast rock', ['kelp']],
  ['creme legumes', ['cooking']],
  ['CRÈME', ['cooking']],
  ['kitchen', ['cooking']],
  ['spring', ['kelp']],
  ['"old rocks"', ['rocks']],
  ['"rocks old"', []],
  ['rock -kelp', ['rocks']],
  ['rock -"anchors the"', ['rocks']],
  ['holdf*', ['cooking', 'kelp']],
  ['holdfas', []],
  ['4711', ['numbers']],
  ['foo-bar', ['numbers']],
])('words: %s', async (query, expected) => {
  expect(await findSorted(query)).toEqual(expected);
});

test.each([
  ['京都', ['tokyo']],
  ['東京', ['tokyo']],
  ['雨', ['tokyo']],
  ['都', ['tokyo']],
  ['iphone', ['tokyo']],
  ['発売された', ['tokyo']],
  ['京東', []],
  ['สวยงาม', ['thai']],
  ['วันนี้', ['thai']],
  ['สวยกาม', []],
  ['محمد', ['arabic']],
  ['القَمَر', ['arabic']],
  ['학교', ['korean']],
  ['공부', ['korean']],
  ['हिन्दी', ['hindi']],
  ['हन्दा', []],
  ['strasse', ['munich']],
  ['lodz', ['munich']],
  ['münchen', ['munich']],
])('scripts: %s', async (query, expected) => {
  expect(await findSorted(query)).toEqual(expected);
});

test.each([
  ['tag:kitchen', ['cooking']],
  ['tag:"winter food" onions', ['cooking']],
  ['rock -tag:nature', ['rocks']],
  ['tag:absent', []],
  ['site:example.org', ['cooking', 'kelp', 'munich']],
  ['site:sea.example.org', ['kelp']],
  ['site:ample.org', []],
  ['-site:example.org tag:nature', []],
  ['url:rocks-and', ['rocks']],
  ['url:id=7', ['cooking']],
  ['before:2021', ['rocks']],
  ['after:2020-06-15 before:2020-06-16', ['rocks']],
  ['rock after:2021', ['kelp']],
  ['-after:2021 rock', ['rocks']],
])('conditions: %s', async (query, expected) => {
  expect(await findSorted(query)).toEqual(expected);
});

test('a part of a word in title or address is found, behind whole words', async () => {
  expect(await find('ocks')).toEqual(['rocks']);
  expect(await find('forest')).toEqual(['kelp']);
  expect(await find('onion')).toEqual([]);
});

test('while typing the last word is a beginning; one or two letters are completed from titles', async () => {
  expect(await findSorted('onio', { typing: true })).toEqual(['cooking']);
  expect(await findSorted('onio ', { typing: true })).toEqual([]);
  expect(await findSorted('ke', { typing: true })).toEqual(['kelp']);
  expect(await findSorted('rock k', { typing: true })).toEqual(['kelp']);
});

test('a word in the title outweighs many in the text', async () => {
  expect(await find('stone*')).toEqual(['rocks', 'numbers']);
});

test('without words the newest come first, page by page to the end', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { ids, next, total } = await search.search('', { limit: 4, cursor });
    expect(total).toBe(10);
    seen.push(...ids.map((id) => names.get(id)!));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toHaveLength(10);
  expect(seen.at(-1)).toBe('rocks');
  expect(new Set(seen).size).toBe(10);
});

test('ranked answers are cut into pages that do not overlap', async () => {
  const first = await search.search('example', { limit: 3 });
  const second = await search.search('example', { limit: 50, cursor: first.next ?? undefined });
  expect(first).toMatchObject({ total: 10, isAtLeast: false });
  expect(new Set([...first.ids, ...second.ids]).size).toBe(10);
  expect(second.next).toBeNull();
});

test('filters of the caller narrow the text, and stand alone', async () => {
  expect(await find('holdfast', { filters: { tag: 'NATURE' } })).toEqual(['kelp']);
  expect(await find('', { filters: { until: Date.parse('2021-01-01') } })).toEqual(['rocks']);
});

test('snippets mark the words in the text as written', async () => {
  const { ids, snippets } = await search.search('"the rock" holdfast', { limit: 10 });
  const segments = snippets.get(ids[0]!)!;
  expect(segments.filter((segment) => segment.hit).map((segment) => segment.text)).toEqual([
    'holdfast',
    'the rock',
    'The rock',
  ]);
  expect(segments.map((segment) => segment.text).join('')).toBe(
    'A holdfast anchors the kelp to the rock. The rock is old.',
  );
});

test.each([
  '"',
  '-',
  '*',
  '(',
  'AND OR NOT',
  'NEAR(a b)',
  'title:x',
  '^a',
  'a" OR "b',
  '{a}',
  "';--",
  '\u0000',
  'tag:',
  'x'.repeat(5_000),
  '"'.repeat(999),
])('bad syntax is no error: %j', async (query) => {
  await expect(search.search(query, { limit: 5, typing: true })).resolves.toBeDefined();
});

test('what was understood is told, a foreign cursor refused', async () => {
  const { understood } = await search.search('rock -"x y" tag:a !!', { limit: 1 });
  expect(understood.map((part) => [part.kind, part.text, part.isExcluded])).toEqual([
    ['word', 'rock', false],
    ['phrase', 'x y', true],
    ['tag', 'a', false],
    ['ignored', '!!', false],
  ]);
  await expect(search.search('rock', { limit: 1, cursor: 'n12' })).rejects.toThrow('cursor');
});
