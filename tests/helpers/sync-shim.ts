import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface ShimOptions {
  /** Only paths below this folder count. */
  root: string;
  /** Where the calls are logged; outside of `root`. */
  log?: string;
  /** Nothing counts before this file is there; outside of `root`. */
  arm?: string;
  /** SIGKILL instead of the N-th call. */
  killAt?: number;
  /** Another signal at `killAt`, by its number. */
  signal?: number;
  /** From the N-th call on everything fails, except letting go of a file. */
  failFrom?: number;
  /** Error number of `failFrom`; 28 (no space left) by default. */
  errno?: number;
}

let compiled: { file: string } | { missing: string } | undefined;

/** Compiles the shim once per run. Says what is missing where it cannot be built or preloaded. */
export function compileShim(): { file: string } | { missing: string } {
  compiled ??= compile();
  return compiled;
}

function compile(): { file: string } | { missing: string } {
  if (process.platform !== 'linux') return { missing: 'the shim needs Linux' };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-shim-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'sync-shim.so');
  const source = path.resolve('tests/helpers/sync-shim.c');
  const result = spawnSync('cc', ['-shared', '-fPIC', '-O2', '-Wall', '-Wextra', '-o', file, source, '-ldl'], {
    encoding: 'utf8',
  });
  if (result.error) return { missing: 'there is no C compiler (cc); install gcc to run this test' };
  if (result.status !== 0) throw new Error(`the shim does not compile: ${result.stderr}`);
  return { file };
}

/** Environment of a process that is watched. One thread does all file work, so that the order is the same each time. */
export function shimEnvironment(file: string, options: ShimOptions): Record<string, string> {
  const numbers = {
    KILL_AT: options.killAt,
    SIGNAL: options.signal,
    FAIL_FROM: options.failFrom,
    ERRNO: options.errno,
  };
  const given = Object.entries(numbers).filter((entry): entry is [string, number] => entry[1] !== undefined);
  return {
    LD_PRELOAD: file,
    UV_THREADPOOL_SIZE: '1',
    HOLDFAST_SHIM_ROOT: fs.realpathSync(options.root),
    ...(options.arm === undefined ? {} : { HOLDFAST_SHIM_ARM: options.arm }),
    ...(options.log === undefined ? {} : { HOLDFAST_SHIM_LOG: options.log }),
    ...Object.fromEntries(given.map(([name, value]) => [`HOLDFAST_SHIM_${name}`, String(value)])),
  };
}
