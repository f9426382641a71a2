import { expect, it } from 'vitest';
import { run } from './verify.ts';

it('reads the collection again at least half as fast as sha256sum reads the same files', async () => {
  expect((await run()).share).toBeGreaterThan(0.5);
});
