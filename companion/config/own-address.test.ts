import { expect, test } from 'vitest';
import { checkOwnAddress } from './own-address.ts';

test.each([
  'http://127.0.0.1:8745/',
  'http://127.1:8745/x',
  'http://2130706433:8745/',
  'http://localhost:8745/api',
  'http://holdfast.localhost:8745/',
  'http://abc123.localhost:8745/page',
  'http://[::1]:8745/',
  'http://[::ffff:127.0.0.1]:8745/',
  'http://0.0.0.0:8745/',
])('%s is the companion itself', (url) => {
  expect(checkOwnAddress(url, [8745])).toMatchObject({ ok: false });
});

test.each([
  'http://127.0.0.1:8746/',
  'http://a.localhost:9000/',
  'https://example.org/',
  'http://localhost.example.org:8745/',
])('%s is somebody else', (url) => {
  expect(checkOwnAddress(url, [8745])).toEqual({ ok: true });
});
