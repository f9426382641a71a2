import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Brings `dist/` up to date before tests that use it; `npm test` has done so already and says so. */
export function setup(): void {
  if (process.env.HOLDFAST_BUILT) return;
  const build = spawnSync(process.execPath, [resolve('bootstrap.mjs'), 'build', '--for-tests'], { stdio: 'inherit' });
  if (build.status !== 0) throw new Error('the build failed (HOLDFAST_BUILT=1 runs the tests on what dist/ holds)');
}
