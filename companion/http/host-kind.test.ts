import { expect, test } from 'vitest';
import { hostKind, isExtensionOrigin } from './host-kind.ts';

test.each([
  ['127.0.0.1:8745', 'api'],
  ['[::1]:8745', 'api'],
  ['localhost:8745', 'api'],
  ['LOCALHOST:8745', 'api'],
  ['holdfast.localhost:8745', 'ui'],
  ['abc123.localhost:8745', 'replay'],
])('%s reaches %s', (host, kind) => {
  expect(hostKind(host, 8745)?.kind).toBe(kind);
});

test.each([
  undefined,
  '',
  'evil.example:8745',
  '127.0.0.1',
  '127.0.0.1:80',
  '127.0.0.1:8746',
  'localhost.evil.example:8745',
  'a.b.localhost:8745',
  '127.0.0.2:8745',
  '0.0.0.0:8745',
  '[::]:8745',
  '127.0.0.1:8745@evil.example',
  'holdfast.localhost:8745, evil',
  'holdfast.localhost.:8745',
  'user@localhost:8745',
  '2130706433:8745',
])('%s is refused', (host) => {
  expect(hostKind(host, 8745)).toBeUndefined();
});

test('only extension origins are extensions', () => {
  expect(isExtensionOrigin('chrome-extension://abcdefghijklmnop')).toBe(true);
  expect(isExtensionOrigin('moz-extension://11111111-2222-3333-4444-555555555555')).toBe(true);
  for (const origin of [
    'null',
    'http://chrome-extension.example',
    'chrome-extension://a/b',
    'https://x',
    'chrome-extension://',
  ]) {
    expect(isExtensionOrigin(origin)).toBe(false);
  }
});
