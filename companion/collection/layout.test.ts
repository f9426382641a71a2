import { describe, expect, test } from 'vitest';
import { checkOutputPath, checkPluginName, Layout, within } from './layout.ts';

const facts = {
  id: '0190-x',
  owner: 'owner',
  createdAt: Date.UTC(2026, 11, 1, 23, 59),
  url: 'https://example.org:8443/a',
};

test('a snapshot lies under its owner, UTC day and host', () => {
  expect(new Layout('/data').snapshotRelative(facts)).toBe(
    'archive/users/owner/snapshots/20261201/example.org_8443/0190-x',
  );
});

test.each(['http://[::1]:80/x', 'http://../x', 'nonsense', 'http://%2e%2e/'])(
  'the folder of %s stays inside the archive',
  (url) => {
    const folder = new Layout('/data').snapshot({ ...facts, url });
    expect(folder.startsWith('/data/archive/users/owner/snapshots/20261201/')).toBe(true);
    expect(folder.split('/')).not.toContain('..');
  },
);

describe('output paths', () => {
  test.each(['a.html', 'a/b/c.txt', 'ünïcode/日本.html', 'a\\b.txt', '.hidden', 'a..b', 'x/...y'])(
    '%s is taken',
    (given) => {
      expect(checkOutputPath(given)).toBe(given.replaceAll('\\', '/'));
    },
  );

  test.each([
    '',
    '/etc/passwd',
    '..',
    '../x',
    'a/../../x',
    'a//b',
    './a',
    'a/.',
    'C:\\x',
    'c:x',
    'a\u0000b',
    'a\nb',
    'CON',
    'a/nul.txt',
    '..\\x',
    `${'a'.repeat(256)}`,
    'a/'.repeat(600) + 'b',
    '\\\\server\\share',
  ])('%j is refused', (given) => {
    expect(() => checkOutputPath(given)).toThrow(expect.objectContaining({ code: 'invalid_path' }));
  });
});

describe('plugin names', () => {
  test.each([
    ['title', 'title'],
    [' /dom/ ', 'dom'],
    ['chrome_extension_dom', 'chrome_extension_dom'],
  ])('%j is %s', (given, name) => {
    expect(checkPluginName(given)).toBe(name);
  });

  test.each(['', '.', '..', ' . ', '/../', '...', 'a/b', 'a b', 'ü', 'x'.repeat(33), 'con', '\u0000'])(
    '%j is refused',
    (given) => {
      expect(() => checkPluginName(given)).toThrow(expect.objectContaining({ code: 'invalid_plugin' }));
    },
  );
});

test('a joined path that leads out is refused', () => {
  expect(() => within('/data/x', '../y')).toThrow(expect.objectContaining({ code: 'invalid_path' }));
  expect(() => within('/data/x', '')).toThrow();
});
