import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { cliFile } from './companion.ts';
import { runnerBench, type RunnerBench } from './runner-bench.ts';
import { temporaryFolder } from './temporary-folder.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures/hooks/plugins');

/** A collection whose own plugin folder holds the fixture plugins, so that any process knows them. */
export async function processBench(): Promise<RunnerBench> {
  const root = temporaryFolder('runner');
  fs.cpSync(fixtures, path.join(root, 'plugins'), { recursive: true });
  return runnerBench(root);
}

export type Spoken = ChildProcess & { words: () => string };

/** The built command as a process that says its words; killed when the test is over. */
export function holdfast(bench: Pick<RunnerBench, 'root'>, ...args: string[]): Spoken {
  return listenTo(
    spawn(process.execPath, [cliFile, '--data', bench.root, ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
  );
}

/** The same in a PID namespace of its own, where the numbers of our processes mean nothing. */
export function holdfastApart(bench: Pick<RunnerBench, 'root'>, ...args: string[]): Spoken {
  const apart = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const command = [process.execPath, cliFile, '--data', bench.root, ...args];
  return listenTo(spawn('unshare', [...apart, ...command], { stdio: ['ignore', 'pipe', 'pipe'] }));
}

function listenTo(child: ChildProcess): Spoken {
  let words = '';
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (chunk: Buffer) => (words += chunk.toString()));
  onTestFinished(() => void child.kill('SIGKILL'));
  return Object.assign(child, { words: () => words });
}

/** Process ids of every run of the fixture hook `slow`. */
export function slowPids(bench: Pick<RunnerBench, 'root'>): number[] {
  const file = path.join(bench.root, 'slow.pids');
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
}
