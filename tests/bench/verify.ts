import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { FixityThreads } from '../../companion/collection/fixity/fixity-threads.ts';
import { Verification } from '../../companion/collection/fixity/verify.ts';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { recordBlob } from '../../companion/collection/records/blobs.ts';

const MB = 1_000_000;
/** Pages, pictures and archives as a collection holds them: few large files, many small ones. */
const sizes = [
  ...Array.from({ length: 24 }, () => 16 * MB),
  ...Array.from({ length: 200 }, () => MB / 2),
  ...Array.from({ length: 1000 }, () => 20_000),
];

export interface VerifyFigures {
  /** GB of files per second, rows and all. */
  verifyGbPerSecond: number;
  /** The same files, the same run, one process. */
  sha256sumGbPerSecond: number;
  /** The first beside the second. */
  share: number;
  /** Growth of this process's memory while it verified. */
  memoryMb: number;
}

export async function run(): Promise<VerifyFigures> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-'));
  const collection = await openCollection(path.join(folder, 'data'));
  const threads = new FixityThreads();
  try {
    const files: string[] = [];
    let bytes = 0;
    for (const size of sizes) {
      const blob = await collection.gate.promoteBytes(randomBytes(size));
      await collection.db.write(() => recordBlob(collection.db, blob, Date.now()));
      files.push(collection.layout.blob(blob.digest));
      bytes += size;
    }
    // Once untimed, so that both read from the cache and the threads are there.
    sha256sum(files);
    await verify();
    const memoryBefore = process.memoryUsage().rss;
    const verifyMs = await timed(verify);
    const memoryMb = (process.memoryUsage().rss - memoryBefore) / MB;
    const sumMs = await timed(() => sha256sum(files));
    const figures = {
      verifyGbPerSecond: bytes / 1e6 / verifyMs,
      sha256sumGbPerSecond: bytes / 1e6 / sumMs,
      share: sumMs / verifyMs,
      memoryMb,
    };
    print(bytes, figures, threads.count);
    return figures;
  } finally {
    await threads.close();
    collection.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }

  async function verify(): Promise<void> {
    const problems: string[] = [];
    const onProblem = ({ path: name }: { path: string }): number => problems.push(name);
    await new Verification(collection, threads, { now: Date.now, onProblem }).run(true);
    if (problems.length > 0) throw new Error(`a sound collection was called damaged: ${problems[0]}`);
  }
}

function sha256sum(files: readonly string[]): void {
  execFileSync('sha256sum', [...files], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function timed(work: () => Promise<void> | void): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function print(bytes: number, figures: VerifyFigures, threads: number): void {
  process.stdout.write(
    `${(bytes / 1e9).toFixed(2)} GB in ${sizes.length} files: verify ${figures.verifyGbPerSecond.toFixed(2)} GB/s in ` +
      `${threads} threads, sha256sum ${figures.sha256sumGbPerSecond.toFixed(2)} GB/s in one process, ` +
      `share ${figures.share.toFixed(2)}; memory grew by ${figures.memoryMb.toFixed(0)} MB\n`,
  );
}
