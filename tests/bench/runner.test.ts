import { once } from 'node:events';
import fs from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { findActiveRunner } from '../../companion/collection/records/processes.ts';
import { holdfast, processBench } from '../helpers/process-bench.ts';
import { runnerBench } from '../helpers/runner-bench.ts';

const pages = 400;
const idleMs = 30_000;
const ticksPerSecond = 100;

it('seals snapshots without plugins one after the other', async () => {
  const bench = await runnerBench();
  const urls = Array.from({ length: pages }, (_value, index) => `http://a.example/${index}`);
  await bench.submit(urls, ['ok'], { INDEX_ONLY: true });
  const startedAt = performance.now();
  await bench.work();
  const seconds = (performance.now() - startedAt) / 1000;
  const [sealed] = bench.collection.db.raw<{ n: number }>(`SELECT count(*) AS n FROM snapshot WHERE status = 'sealed'`);
  process.stdout.write(`runner: ${(pages / seconds).toFixed(0)} snapshots a second without plugins\n`);
  expect(sealed!.n).toBe(pages);
});

it('claims what another process makes due, at once, and costs nothing while nothing is due', async () => {
  const bench = await processBench();
  const { db, machineId } = bench.collection;
  const daemon = holdfast(bench, 'run', '--daemon');
  await bench.until('a runner is active', () => findActiveRunner(db, machineId)?.pid === daemon.pid);
  const latencies: number[] = [];
  for (let number = 0; number < 30; number += 1) {
    const crawl = await bench.submit([`http://a.example/${number}`], ['ok'], { INDEX_ONLY: true });
    await bench.until('it is sealed', () => bench.crawl(crawl.id).status === 'sealed');
    latencies.push(bench.crawl(crawl.id).first_run_at! - bench.crawl(crawl.id).created_at);
  }
  latencies.sort((a, b) => a - b);
  const before = cpuTicks(daemon.pid!);
  await wait(idleMs);
  const share = (cpuTicks(daemon.pid!) - before) / ticksPerSecond / (idleMs / 1000);
  process.stdout.write(
    `runner: first claim ${latencies[15]} ms after the submission in the middle, ${latencies.at(-1)} ms at most; ` +
      `idle ${(share * 100).toFixed(2)} % of a core over ${idleMs / 1000} s\n`,
  );
  daemon.kill('SIGTERM');
  await once(daemon, 'exit');
  expect.soft(latencies[15]).toBeLessThan(500);
  expect.soft(share).toBeLessThan(0.01);
});

/** User and system time of a process in hundredths of a second. */
function cpuTicks(pid: number): number {
  const text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
