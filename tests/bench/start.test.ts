import { expect, it } from 'vitest';
import { run } from './start.ts';

it('starts in few times the time of an empty node', async () => {
  const figures = await run();
  expect.soft(figures.versionTimes).toBeLessThanOrEqual(4);
  expect.soft(figures.serveTimes).toBeLessThanOrEqual(6);
  expect.soft(figures.serveManyTimes).toBeLessThanOrEqual(6);
});
