import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findAddresses } from './find-addresses.ts';

const anywhere = (url: string) =>
  url.includes('refused') ? { ok: false as const, reason: `${url} is not allowed` } : { ok: true as const };
const urls = (text: string) => findAddresses(text, anywhere).urls;

test('addresses are found in lists, bookmarks, tables and prose, each once', () => {
  expect(urls('https://a.example/x\r\nhttps://b.example/\r\nhttps://a.example/x\r\n')).toEqual([
    'https://a.example/x',
    'https://b.example/',
  ]);
  expect(urls('<DT><A HREF="https://a.example/?x=1&amp;y=2" ADD_DATE="1">A</A>')).toEqual([
    'https://a.example/?x=1&y=2',
  ]);
  expect(urls('{"url":"https://a.example/b","title":"B"}')).toEqual(['https://a.example/b']);
  expect(urls('Name,Link\nKelp,https://a.example/k,2024')).toEqual(['https://a.example/k,2024']);
  expect(urls('See https://b.example/c. (https://d.example/e), and [f](https://f.example/Kelp_(sea)).')).toEqual([
    'https://b.example/c',
    'https://d.example/e',
    'https://f.example/Kelp_(sea)',
  ]);
  expect(urls('ftp://a.example/ and nothing else')).toEqual([]);
});

test('what may not be kept is named with the reason', () => {
  expect(findAddresses('http://refused.example/ https://a.example/', anywhere)).toEqual({
    urls: ['https://a.example/'],
    refused: ['http://refused.example/ is not allowed.'],
  });
  expect(findAddresses('http://', anywhere)).toEqual({ urls: [], refused: [] });
  expect(findAddresses('http://[half', anywhere).refused).toHaveLength(1);
});

test('no text is an error, and what is found can be kept', () => {
  const pieces = fc.constantFrom('http://', 'https://', 'a.example', '/', '(', ')', '.', ' ', '"', '[', '%', '?', '日');
  fc.assert(
    fc.property(fc.string({ unit: pieces, maxLength: 60 }), (text) => {
      for (const url of urls(text)) expect(URL.canParse(url)).toBe(true);
    }),
  );
});
