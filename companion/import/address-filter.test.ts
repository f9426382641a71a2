import { expect, it } from 'vitest';
import { createAddressFilter } from './address-filter.ts';

const kept = (config: Record<string, unknown>, urls: readonly string[], isOutlink = false): string[] =>
  urls.filter((url) => createAddressFilter(config, isOutlink)(url).ok);

const hosts = ['http://example.com/', 'http://www.example.com:8080/', 'http://other.example/example.com'];

it.each([
  ['example.com', hosts.slice(0, 2)],
  ['*.example.com', hosts.slice(1, 2)],
  ['example.com:8080', hosts.slice(1, 2)],
  ['example.com:80', hosts.slice(0, 1)],
  ['/example\\.com$', hosts.slice(2)],
  ['(unclosed', []],
  ['example.com\nother.example', hosts],
])('allows by %j', (list, expected) => {
  expect(kept({ URL_ALLOWLIST: list }, hosts)).toEqual(expected);
});

it('refuses before it allows, and says which list it was', () => {
  const filter = createAddressFilter({ URL_ALLOWLIST: 'example.com', URL_DENYLIST: 'www.example.com' }, false);
  expect(hosts.map((url) => filter(url))).toEqual([
    { ok: true },
    { ok: false, reason: 'http://www.example.com:8080/ is on the list of refused ones' },
    { ok: false, reason: 'http://other.example/example.com is not on the list of allowed ones' },
  ]);
});

it('follows no links to parts of pages, but keeps one that is submitted', () => {
  const parts = ['http://a.example/a.css', 'http://a.example/a.js?v=1', 'http://a.example/js'];
  expect(kept({}, parts, true)).toEqual(parts.slice(2));
  expect(kept({}, parts)).toEqual(parts);
  expect(kept({ URL_DENYLIST: '' }, parts, true)).toEqual(parts);
});
