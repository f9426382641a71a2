import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Collection } from '../collection/open-collection.ts';
import { spawnDetached } from '../process/spawn-detached.ts';
import { findLivingRunner } from './runner-seat.ts';

/** Program and arguments that run a collection's work in another process: the built command line of this checkout. */
export function runnerCommand(root: string, ...options: readonly string[]): readonly [string, ...string[]] {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const beside = path.join(here, 'cli.js');
  const built = existsSync(beside) ? beside : path.resolve(here, '..', '..', 'dist', 'companion', 'cli.js');
  return [process.execPath, built, '--data', root, 'run', ...options];
}

export function inheritedEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

/**
 * Sees to it that somebody works on what is due: starts a runner that outlives this process when none is alive. True
 * when one was started; its words go to `logs/runner.log`.
 */
export async function ensureDetachedRunner(collection: Collection): Promise<boolean> {
  if (findLivingRunner(collection)) {
    collection.bell.ring();
    return false;
  }
  await spawnDetached({
    command: runnerCommand(collection.root),
    env: inheritedEnvironment(),
    cwd: collection.root,
    logFile: path.join(collection.layout.logs(), 'runner.log'),
  });
  return true;
}

/** Who does work that was left behind, for the person who left it; `started` as `ensureDetachedRunner` answered. */
export function leftTo(what: string, started: boolean): string {
  const who = started
    ? 'a runner in the background, started now; its words are in logs/runner.log'
    : 'the runner that is active already';
  return `${what} left to ${who}.`;
}
