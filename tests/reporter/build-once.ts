import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

/** Brings `dist/` up to date before tests that use it; `npm test` has done so already and says so. */
export function setup(): void {
  if (process.env.HOLDFAST_BUILT) return;
  execFileSync(process.execPath, [resolve('bootstrap.mjs'), 'build'], { stdio: 'inherit' });
}
