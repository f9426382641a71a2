import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { bundleProgram } from '../helpers/bundle-program.ts';
import { expectShownFiles, expectSoundCollection } from '../helpers/collection-invariants.ts';
import { seededRandom, torture } from '../helpers/torture-options.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const plugins = path.resolve('tests/fixtures/hooks/plugins');
const pages = torture ? 200 : 16;
const killsPerCrawl = torture ? 40 : 4;
const urls = Array.from({ length: pages }, (_none, index) => `https://site.example/page-${index}`);

let program: string;
beforeAll(async () => {
  program = await bundleProgram('tests/fixtures/sweep-runner.ts', path.resolve('dist'));
});

function startRunner(dataDir: string): ChildProcess {
  return spawn(process.execPath, [program, dataDir, plugins, 'ok', ...urls], { stdio: 'ignore' });
}

/** How often a hook has begun so far: the fixture writes a line each time. */
function runsBegun(dataDir: string): number {
  const file = path.join(dataDir, 'ok.runs');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').length - 1 : 0;
}

/** Resolves when so many hooks have begun, or the runner has ended by itself. */
async function untilRuns(dataDir: string, wanted: number, runner: ChildProcess): Promise<void> {
  const ended = once(runner, 'exit');
  while (runsBegun(dataDir) < wanted && runner.exitCode === null && runner.signalCode === null) {
    const watcher = fs.watch(dataDir);
    if (runsBegun(dataDir) < wanted) await Promise.race([once(watcher, 'change'), ended]);
    watcher.close();
  }
}

/** Some living process of the runner's hooks, chosen by the dice; none when nothing runs at that moment. */
function hookProcesses(runner: ChildProcess): number[] {
  const file = `/proc/${runner.pid}/task/${runner.pid}/children`;
  if (!fs.existsSync(file)) return [];
  return fs.readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended between the look and the shot.
  }
}

async function crawlUnderFire(dataDir: string, random: () => number): Promise<void> {
  for (let kill = 0; kill < killsPerCrawl; kill += 1) {
    const runner = startRunner(dataDir);
    await untilRuns(dataDir, runsBegun(dataDir) + 1 + Math.floor(random() * (pages / killsPerCrawl)), runner);
    const hooks = hookProcesses(runner);
    if (random() < 0.3 && hooks.length > 0) {
      killProcess(hooks[Math.floor(random() * hooks.length)]!);
    }
    const ended = runner.exitCode === null && runner.signalCode === null ? once(runner, 'exit') : undefined;
    runner.kill('SIGKILL');
    await ended;
    await expectSoundCollection(dataDir, `after kill ${kill}`);
  }
  const last = startRunner(dataDir);
  const [code] = (await once(last, 'exit')) as [number | null];
  expect(code).toBe(0);
}

async function expectEachPageOnce(dataDir: string): Promise<void> {
  await expectSoundCollection(dataDir, 'at the end');
  await expectShownFiles(dataDir, 'at the end');
  const collection = await openCollection(dataDir);
  try {
    const rows = collection.db.raw<{ url: string; status: string; kept: number }>(
      `SELECT url, status, (SELECT count(*) FROM archive_result JOIN output ON output.result_id = archive_result.id
          WHERE snapshot_id = snapshot.id AND plugin = 'ok' AND archive_result.status = 'succeeded') AS kept
         FROM snapshot ORDER BY length(url), url`,
    );
    expect(rows).toEqual(urls.map((url) => ({ url, status: 'sealed', kept: 1 })));
    expect(fs.readdirSync(path.join(dataDir, 'runs')).filter((name) => !name.startsWith('crawl-'))).toEqual([]);
  } finally {
    collection.close();
  }
}

it(
  `archives each of ${pages} pages exactly once, whatever is killed and when`,
  async () => {
    const { seed, until } = torture ?? { seed: 1, until: 0 };
    let round = 0;
    do {
      const dataDir = temporaryFolder();
      await crawlUnderFire(dataDir, seededRandom(seed + round));
      await expectEachPageOnce(dataDir);
      round += 1;
    } while (Date.now() < until);
  },
  torture ? 3_600_000 : 240_000,
);
