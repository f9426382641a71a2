import { expect, test } from 'vitest';
import { findAddresses, parseAddressList } from './address-list.ts';

test('one address on a line, each once, scheme added where a person left it out', () => {
  const text = 'https://a.example/x\r\n\n# a note\nexample.org/page?q=1\nhttps://a.example/x\nlocalhost:80';
  expect(parseAddressList(text)).toEqual({
    urls: ['https://a.example/x', 'https://example.org/page?q=1'],
    refused: ['Line 6, "localhost:80", has the scheme localhost: but only http: and https: can be kept.'],
  });
});

test('a line that holds no address is told with its number', () => {
  const { urls, refused } = parseAddressList('ftp://a.example/\nhttps://a.example https://b.example\njust words');
  expect(urls).toEqual([]);
  expect(refused).toHaveLength(3);
  expect(refused[0]).toContain('Line 1, "ftp://a.example/", has the scheme ftp:');
  expect(refused[1]).toContain('one address at a time');
});

test('addresses are found in a bookmarks file and in prose', () => {
  const file =
    '<DT><A HREF="https://a.example/?x=1&amp;y=2" ADD_DATE="1">A</A>\nSee https://b.example/c. (https://d.example/e)';
  expect(findAddresses(file)).toEqual(['https://a.example/?x=1&y=2', 'https://b.example/c', 'https://d.example/e']);
  expect(findAddresses('nothing here')).toEqual([]);
});
