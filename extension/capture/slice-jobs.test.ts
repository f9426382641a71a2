import { expect, test } from 'vitest';
import type { FileSink } from './file-sink.ts';
import { SliceJobs } from './slice-jobs.ts';

function sinkOf(written: number[]): FileSink {
  return { write: async (bytes) => void written.push(...bytes), close: async () => {}, abandon: async () => {} };
}

test('slices of a running job arrive in order', async () => {
  const written: number[] = [];
  const jobs = new SliceJobs();
  const job = jobs.open(7, sinkOf(written));
  await jobs.take(job, 7, 0, btoa('\u0001\u0002'));
  await jobs.take(job, 7, 1, btoa('\u0003'));
  expect(written).toEqual([1, 2, 3]);
  expect(jobs.slices(job)).toBe(2);
});

test('nothing is taken from another tab, out of order, or after the end', async () => {
  const written: number[] = [];
  const jobs = new SliceJobs();
  const job = jobs.open(7, sinkOf(written));
  await expect(jobs.take(job, 8, 0, '')).rejects.toThrow('no capture of this tab');
  await expect(jobs.take(job, 7, 1, '')).rejects.toThrow('slice 1 came where 0 was due');
  await expect(jobs.take('guessed', 7, 0, '')).rejects.toThrow('no capture of this tab');
  jobs.close(job);
  await expect(jobs.take(job, 7, 0, '')).rejects.toThrow('no capture of this tab');
  expect(written).toEqual([]);
});
