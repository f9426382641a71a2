import { expect, test } from 'vitest';
import { parseAddressList } from './address-list.ts';

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
