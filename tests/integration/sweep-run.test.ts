import { spawn } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { bundleProgram } from '../helpers/bundle-program.ts';
import { expectShownFiles, expectSoundCollection } from '../helpers/collection-invariants.ts';
import { lastCall, sweepPoints } from '../helpers/kill-sweep.ts';
import { compileShim, shimEnvironment, type ShimOptions } from '../helpers/sync-shim.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const shim = compileShim();
const ENOSPC = 28;
const plugins = path.resolve('tests/fixtures/hooks/plugins');
const plugin = 'ok';
const urls = ['https://one.example/', 'https://two.example/'];

let program: string;
beforeAll(async () => {
  // Beside node_modules, because the program loads SQLite from there.
  program = await bundleProgram('tests/fixtures/sweep-runner.ts', path.resolve('dist'));
});

interface Outcome {
  pid: number;
  code: number | null;
  stderr: string;
}

/** Submits two addresses where there are none yet and works until nothing is due. */
function work(dataDir: string, options?: Omit<ShimOptions, 'root'>): Promise<Outcome> {
  const env = options && 'file' in shim ? shimEnvironment(shim.file, { ...options, root: dataDir }) : {};
  const child = spawn(process.execPath, [program, dataDir, plugins, plugin, ...urls], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => child.once('close', (code) => resolve({ pid: child.pid!, code, stderr })));
}

async function countCalls(): Promise<number> {
  const dataDir = temporaryFolder();
  const log = path.join(temporaryFolder(), 'calls');
  const { code, pid, stderr } = await work(dataDir, { log });
  expect(code, stderr).toBe(0);
  await expectFinished(dataDir, 'without a fault');
  return lastCall(log, pid);
}

/** What a run without faults makes of what was left: each page sealed once, with its file. */
async function expectFinished(dataDir: string, when: string): Promise<void> {
  await expectSoundCollection(dataDir, when);
  const run = await work(dataDir);
  expect(run.code, `${run.stderr} ${when}`).toBe(0);
  await expectSoundCollection(dataDir, when);
  await expectShownFiles(dataDir, when);
  const collection = await openCollection(dataDir);
  try {
    const crawls = collection.db.raw<{ status: string; pages: number; kept: number }>(
      `SELECT status, (SELECT count(*) FROM snapshot WHERE crawl_id = crawl.id AND status = 'sealed') AS pages,
              (SELECT count(*) FROM output JOIN archive_result ON archive_result.id = output.result_id
                WHERE archive_result.plugin = '${plugin}') AS kept FROM crawl`,
    );
    expect(crawls, when).toEqual([{ status: 'sealed', pages: urls.length, kept: urls.length }]);
    const { open } = collection.db.raw<{ open: number }>(
      `SELECT count(*) AS open FROM snapshot WHERE status <> 'sealed'`,
    )[0]!;
    expect(open, when).toBe(0);
  } finally {
    collection.close();
  }
}

describe.skipIf('missing' in shim)(
  `a page that is worked on (${'missing' in shim ? shim.missing : 'every call counted'})`,
  () => {
    it('is kept once, whichever call the program dies at', async () => {
      const calls = await countCalls();
      expect(calls).toBeGreaterThan(50);
      for (const killAt of sweepPoints(1, calls)) {
        const dataDir = temporaryFolder();
        await work(dataDir, { killAt });
        await expectFinished(dataDir, `killed at call ${killAt} of ${calls}`);
      }
    }, 240_000);

    it('is kept when the disk has room again, whichever call it was full at, and the reason was said', async () => {
      const calls = await countCalls();
      for (const failFrom of sweepPoints(1, calls)) {
        const when = `full from call ${failFrom} of ${calls}`;
        const dataDir = temporaryFolder();
        const { code, stderr } = await work(dataDir, { failFrom, errno: ENOSPC });
        if (code !== 0) expect(stderr, when).toMatch(/full disk|disk .* is full|no space/i);
        await expectFinished(dataDir, when);
      }
    }, 240_000);
  },
);
