import { expect, it } from 'vitest';
import { frozenCrawlConfig } from './crawl-config.ts';
import { loadSettings } from './settings.ts';

const { settings } = loadSettings('/nowhere/holdfast.toml');

it.each(['URL_ALLOWLIST', 'URL_DENYLIST'] as const)('refuses a pattern of %s that cannot be read, naming it', (key) => {
  expect(() => frozenCrawlConfig(settings, { [key]: 'example.com\n^https://(unclosed' })).toThrow(
    `${key} holds "^https://(unclosed", which is neither a domain nor a regular expression.`,
  );
});

it('keeps lists of domains and expressions as they were given', () => {
  const lists = { URL_ALLOWLIST: '*.example.com\n^https://', URL_DENYLIST: 'example.com:8080' };
  expect(frozenCrawlConfig(settings, lists)).toMatchObject(lists);
});
