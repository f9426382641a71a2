import { expect, test } from 'vitest';
import { isCompanionPage, parseCompanionAddress } from './companion-address.ts';

test.each([
  ['127.0.0.1:8745', '127.0.0.1:8745'],
  [' http://localhost:9000/ ', 'localhost:9000'],
  ['[::1]:8745', '[::1]:8745'],
  ['127.0.0.1', '127.0.0.1:8745'],
  ['2130706433:99', '127.0.0.1:99'],
])('%s is taken as %s', (text, address) => {
  expect(parseCompanionAddress(text)).toEqual({ ok: true, address });
});

test.each(['', 'http://', '127.0.0.1:99999', '127.0.0.1:80/path', 'me@127.0.0.1:1'])('"%s" is no address', (text) => {
  const parsed = parseCompanionAddress(text);
  expect(parsed.ok ? '' : parsed.sentence).toMatch(/is no address\. Give a host and a port/);
});

test.each(['192.168.1.4:8745', 'shore.example:8745', 'a.localhost:8745'])(
  'pages are never sent to another machine such as %s',
  (text) => {
    const parsed = parseCompanionAddress(text);
    expect(parsed.ok ? '' : parsed.sentence).toMatch(/only to its companion on this computer/);
  },
);

test.each([
  ['http://holdfast.localhost:8745/', true],
  ['http://127.0.0.1:8745/api/v1/docs', true],
  ['http://0a1b2c.localhost:8745/singlefile.html', true],
  ['http://a.localhost:8746/', false],
  ['http://shore.example:8745/', false],
  ['https://localhost/', false],
  ['', false],
])('whether %s is a page of the companion: %s', (url, own) => {
  expect(isCompanionPage(url, '127.0.0.1:8745')).toBe(own);
});
