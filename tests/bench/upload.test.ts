import { expect, it } from 'vitest';
import { run } from './upload.ts';

it('takes 1 GiB at 0.7 of bare node:http and 1.2 of tus, in flat memory', async () => {
  const figures = await run();
  expect.soft(figures.ofRaw).toBeGreaterThanOrEqual(0.7);
  expect.soft(figures.ofTus).toBeGreaterThanOrEqual(1.2);
  expect.soft(figures.memoryGrowthMib).toBeLessThan(64);
});
