import { expect, test } from 'vitest';
import { digestFromHex, digestHex, parseDigest } from './digest.ts';

const hex = 'ab'.repeat(32);

test('a digest is read in either case and written in lower case', () => {
  expect(parseDigest(`SHA256:${hex.toUpperCase()}`)).toBe(`sha256:${hex}`);
  expect(digestHex(digestFromHex(hex))).toBe(hex);
});

test('what is no digest is refused', () => {
  for (const text of ['', hex, `sha256:${hex}0`, `sha256:${hex.slice(1)}`, `md5:${hex}`]) {
    expect(parseDigest(text)).toBeUndefined();
  }
  expect(() => digestFromHex('xyz')).toThrow('not a sha256');
});
