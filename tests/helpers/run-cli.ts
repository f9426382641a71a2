import { spawn } from 'node:child_process';
import { cliFile } from './companion.ts';

export interface CliOutcome {
  pid: number;
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** Lines of stdout without the empty end. */
  lines: string[];
}

/** Runs the built `holdfast` as a process of its own, on the given data folder, and waits for its end. */
export function runCli(
  dataDir: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<CliOutcome> {
  const child = spawn(process.execPath, [cliFile, '--data', dataDir, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOLDFAST_PORT: '0', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return new Promise((resolve) => {
    child.once('close', (code, signal) =>
      resolve({
        pid: child.pid!,
        code,
        signal,
        stdout,
        stderr,
        lines: stdout.split('\n').filter((line) => line !== ''),
      }),
    );
  });
}
