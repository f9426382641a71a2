import { expect, it } from 'vitest';
import { run } from './storage.ts';

it('keeps twenty captures of one slowly changing page in a tenth of the bytes', async () => {
  expect((await run()).share).toBeLessThanOrEqual(0.1);
});
