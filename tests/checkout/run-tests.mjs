import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { ensureBrowser } from './ensure-browser.mjs';
import { installHint, installSystemPackages } from './system-packages.mjs';
import { findOnPath, readJson, root, runTool, say, Stop } from './tools.mjs';

const staticChecks = [
  { name: 'types', tool: 'tsc', args: ['--noEmit', '-p', '.'] },
  { name: 'lint', tool: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'unused code', tool: 'knip', args: ['--no-progress'] },
];
const stdio = ['ignore', 'inherit', 'inherit'];

/**
 * `npm test`: every static check, the build and the whole of Vitest, to the end even when one fails, because one run
 * should tell everything. Paths as arguments run only these files. The last line counts what ran; each check counts
 * as one test. Resolves to the exit code: 0 only when something ran and nothing failed.
 */
export async function runTests(args) {
  const totals = { passed: 0, failed: 0, skipped: 0, broken: [] };
  if (args.length === 0) {
    for (const check of staticChecks) {
      await runCheck(totals, check.name, async () => (await runTool(check.tool, check.args, { stdio })) === 0);
    }
    await runCheck(totals, 'browsers', () => succeeds(findBrowsers));
    await ensureDisplayServer();
  }
  await runCheck(totals, 'build', () => succeeds(() => ensureBuilt({ forTests: true })));
  await runVitest(totals, args);
  for (const name of totals.broken) process.stdout.write(`failed: ${name}\n`);
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  process.stdout.write(`${totals.passed} passed, ${totals.failed} failed${skipped}\n`);
  return totals.failed === 0 ? 0 : 1;
}

async function findBrowsers() {
  await ensureBrowser('chromium');
  await ensureBrowser('firefox');
}

/** One test opens real windows; where this cannot be had it says so and is counted as skipped. */
async function ensureDisplayServer() {
  if (process.platform !== 'linux' || findOnPath(['Xvfb'])) return;
  if (await installSystemPackages('xvfb', 'one test opens windows on a display of its own')) return;
  say(`The test of npm start with a display is skipped: there is no Xvfb; ${installHint('xvfb')}`);
}

async function runCheck(totals, name, work) {
  const startedMs = Date.now();
  const passed = await work();
  totals[passed ? 'passed' : 'failed'] += 1;
  if (!passed) totals.broken.push(name);
  process.stdout.write(
    `${name}: ${passed ? 'passed' : 'FAILED'} in ${((Date.now() - startedMs) / 1000).toFixed(1)} s\n`,
  );
}

async function succeeds(work) {
  try {
    await work();
    return true;
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    say(error.message);
    return false;
  }
}

async function runVitest(totals, args) {
  const countsFile = join(root, 'dist/.test-counts.json');
  mkdirSync(join(root, 'dist'), { recursive: true });
  rmSync(countsFile, { force: true });
  // The user's own collection is nothing to tests, whatever the shell says.
  const env = {
    HOLDFAST_TEST_COUNTS: countsFile,
    HOLDFAST_BUILT: '1',
    HOLDFAST_DATA: undefined,
    HOLDFAST_PORT: undefined,
  };
  const code = await runTool('vitest', ['run', ...args], { stdio, env });
  const counts = existsSync(countsFile) ? readJson('dist/.test-counts.json') : { passed: 0, failed: 0, skipped: 0 };
  for (const key of ['passed', 'failed', 'skipped']) totals[key] += counts[key];
  // Never green when Vitest itself was not, or when nothing ran.
  if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) {
    totals.failed += 1;
    totals.broken.push(counts.passed === 0 ? 'no test ran' : `vitest ended with exit code ${code}`);
  }
}

/**
 * Figures and long suites, each with a command of its own; `npm test` runs only their short forms. `--minutes` and
 * `--seed` are for torture.
 */
export async function runSuite(name, args) {
  await ensureBuilt({ forTests: true });
  await ensureBrowser('chromium');
  const { values, positionals } = parseArgs({
    args,
    options: { minutes: { type: 'string' }, seed: { type: 'string' } },
    allowPositionals: true,
  });
  const env = {
    HOLDFAST_SUITE: name,
    HOLDFAST_BUILT: '1',
    HOLDFAST_TORTURE_MINUTES: values.minutes,
    HOLDFAST_TORTURE_SEED: values.seed,
  };
  return runTool('vitest', ['run', ...positionals], { stdio: 'inherit', env });
}
