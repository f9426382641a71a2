import { expect, it } from 'vitest';
import { parseSize } from './sizes.ts';

it.each([
  [0, 0],
  ['1048576', 1_048_576],
  ['500mb', 500 * 1024 ** 2],
  ['2 GiB', 2 * 1024 ** 3],
  ['1.5k', 1536],
  ['', undefined],
  ['-1', undefined],
  ['10 pages', undefined],
])('reads %j', (text, bytes) => expect(parseSize(text)).toBe(bytes));
