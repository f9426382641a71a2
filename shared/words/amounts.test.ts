import { expect, test } from 'vitest';
import { countPhrase, numberPhrase, sizePhrase } from './amounts.ts';

test.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [2_100, '2 KB'],
  [99_999, '100 KB'],
  [100_000, '0.1 MB'],
  [4_200_000, '4.2 MB'],
  [999_900_000, '999.9 MB'],
  [999_960_000, '1.0 GB'],
  [12_340_000_000, '12.3 GB'],
])('%d bytes read as "%s"', (bytes, phrase) => {
  expect(sizePhrase(bytes)).toBe(phrase);
});

test('counts agree with their word and are grouped', () => {
  expect(countPhrase(1, 'capture')).toBe('1 capture');
  expect(countPhrase(0, 'capture')).toBe('0 captures');
  expect(countPhrase(2, 'copy', 'copies')).toBe('2 copies');
  expect(numberPhrase(1_204)).toBe('1\u202f204');
  expect(numberPhrase(1_000_000)).toBe('1\u202f000\u202f000');
});
