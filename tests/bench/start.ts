import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { submitCrawl } from '../../companion/collection/submit-crawl.ts';
import { cliFile } from '../helpers/companion.ts';

const rounds = 9;
const manyPages = 1_000_000;

export interface StartFigures {
  /** Milliseconds, medians. */
  bare: number;
  version: number;
  serveEmpty: number;
  serveMany: number;
  /** Beside `node -e 0`. */
  versionTimes: number;
  serveTimes: number;
  serveManyTimes: number;
}

/** Time from the start of a process to its end, or to the first line that matches. */
function timeOf(args: readonly string[], until?: RegExp): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    const exited = new Promise<number | null>((done) => child.once('exit', done));
    if (!until) return void exited.then((code) => (code === 0 ? resolve(performance.now() - startedAt) : reject(code)));
    let readyMs: number | undefined;
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (readyMs !== undefined || !until.test(line)) return;
      readyMs = performance.now() - startedAt;
      child.kill('SIGTERM');
    });
    void exited.then((code) =>
      readyMs === undefined ? reject(new Error(`ended with ${code} before it was ready`)) : resolve(readyMs),
    );
  });
}

async function median(measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await measure());
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
}

/** Sealed pages without files, as rows: what a start has to do with is their number. */
async function fillCollection(dataDir: string): Promise<void> {
  const collection = await openCollection(dataDir);
  const { db } = collection;
  const crawl = await submitCrawl(collection, {
    text: 'https://many.example/\n',
    config: {},
    maxDepth: 0,
    tags: [],
    label: '',
    permissions: 'private',
  });
  await db.write(() => {
    db.raw(`UPDATE crawl SET status = 'sealed', due_at = NULL, input_done = 1`);
    db.raw(
      `WITH RECURSIVE page (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM page WHERE n < :pages)
       INSERT INTO snapshot (id, created_at, modified_at, url, crawl_id, timestamp, bookmarked_at, source, status, created_by)
       SELECT printf('01890000-0000-7000-8000-%012x', n), 1760000000000 + n, 1760000000000 + n,
              'https://many.example/' || n, :crawl, printf('1760000000.%07d', n), 1760000000000 + n, 'companion', 'sealed', :owner
         FROM page`,
      { pages: manyPages, crawl: crawl.id, owner: collection.owner.id },
    );
  });
  collection.close();
}

export async function run(): Promise<StartFigures> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-'));
  const serve = (dataDir: string) => () =>
    timeOf([cliFile, '--data', dataDir, 'serve', '--port', '0', '--no-runner'], /pairing code/i);
  try {
    const bare = await median(() => timeOf(['-e', '0']));
    const version = await median(() => timeOf([cliFile, 'version']));
    const serveEmpty = await median(serve(path.join(folder, 'empty')));
    await fillCollection(path.join(folder, 'many'));
    const serveMany = await median(serve(path.join(folder, 'many')));
    const figures = {
      bare,
      version,
      serveEmpty,
      serveMany,
      versionTimes: version / bare,
      serveTimes: serveEmpty / bare,
      serveManyTimes: serveMany / bare,
    };
    print(figures);
    return figures;
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

function print(figures: StartFigures): void {
  const row = (name: string, ms: number, times?: number): string =>
    `${name.padEnd(34)} ${ms.toFixed(0).padStart(5)} ms${times === undefined ? '' : ` ${times.toFixed(1)} times`}\n`;
  process.stdout.write(
    row('node -e 0', figures.bare) +
      row('holdfast version (goal 4)', figures.version, figures.versionTimes) +
      row('serve until ready, empty (goal 6)', figures.serveEmpty, figures.serveTimes) +
      row('serve until ready, a million pages', figures.serveMany, figures.serveManyTimes),
  );
}
