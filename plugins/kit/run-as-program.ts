import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { HookMain } from './context.ts';

/**
 * Runs a hook when its file is the program of this process, and does nothing when it was imported. Links count as the
 * file they lead to.
 */
export async function runAsProgram(moduleUrl: string, main: HookMain): Promise<void> {
  const program = process.argv[1];
  if (program === undefined || realpathSync(program) !== realpathSync(fileURLToPath(moduleUrl))) return;
  const controller = new AbortController();
  process.on('SIGTERM', () => controller.abort());
  process.on('SIGINT', () => controller.abort());
  const code = await main({
    argv: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    stdout: process.stdout,
    stderr: process.stderr,
    signal: controller.signal,
  });
  // A connection left open must not keep the process; what was printed must be out before it goes.
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
}
