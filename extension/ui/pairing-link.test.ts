import { expect, test } from 'vitest';
import { readPairingLink } from './pairing-link.ts';

test.each([
  ['', undefined],
  ['#', undefined],
  ['#pair=', undefined],
  ['#pair=%20', undefined],
  ['#other=1', undefined],
  ['#pair=ABCD-2345', { code: 'ABCD-2345', address: undefined }],
  ['#pair=ABCD2345&address=127.0.0.1:9000', { code: 'ABCD2345', address: '127.0.0.1:9000' }],
  ['#pair=A&address=', { code: 'A', address: undefined }],
])('%j is read as %o', (hash, link) => {
  expect(readPairingLink(hash)).toEqual(link);
});
