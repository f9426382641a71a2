import { expect, test } from 'vitest';
import { crawlName, isWorthListing } from './crawl-name.ts';

test('a capture of one page is no crawl to list', () => {
  expect(isWorthListing({ urls: 'https://a.example/\n', max_depth: 0 })).toBe(false);
  expect(isWorthListing({ urls: 'https://a.example/\n', max_depth: 1 })).toBe(true);
  expect(isWorthListing({ urls: 'https://a.example/\r\nhttps://b.example/', max_depth: 0 })).toBe(true);
});

test('a crawl is called by its label, else by its first address', () => {
  expect(crawlName({ label: ' Bookmarks of 2020 ', urls: 'https://a.example/' })).toBe('Bookmarks of 2020');
  expect(crawlName({ label: '', urls: 'https://a.example/\n' })).toBe('a.example');
  expect(crawlName({ label: '', urls: 'https://a.example/\nhttps://b.example/x\n\n' })).toBe('a.example and 1 more');
  expect(crawlName({ label: '', urls: '' })).toBe('Crawl');
});
