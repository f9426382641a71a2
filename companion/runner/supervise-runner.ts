import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '../../shared/limits.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { Logger } from '../log/logger.ts';
import { startProcess, type RunningProcess } from '../process/run-process.ts';
import { inheritedEnvironment, runnerCommand } from './runner-command.ts';

export interface SupervisorOptions {
  collection: Collection;
  log: Logger;
  /** Instead of `holdfast run --daemon --tied` of this checkout. */
  command?: readonly [string, ...string[]];
}

export interface Supervisor {
  /** Ends the runner politely and resolves when it is gone. */
  stop(): Promise<void>;
}

const backOffMs = { first: 500, most: 30_000 };
/** A runner that lived this long was healthy; its end is no reason to wait longer before the next one. */
const healthyMs = 60_000;

/**
 * Keeps one `holdfast run --daemon` alive as a child of the server. One that ends is started again, later each time it
 * ends early. The child is tied to this process and ends with it, however it dies.
 */
export function superviseRunner(options: SupervisorOptions): Supervisor {
  const stopping = new AbortController();
  let child: RunningProcess | undefined;
  const supervise = async (): Promise<void> => {
    let pause = backOffMs.first;
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      child = startRunnerProcess(options);
      const result = await child.result;
      if (stopping.signal.aborted) return;
      options.log.warn(
        { exitCode: result.exitCode, signal: result.signal },
        result.message ?? 'the runner ended; it is started again',
      );
      pause = Date.now() - startedAt > healthyMs ? backOffMs.first : Math.min(pause * 2, backOffMs.most);
      // The pause is cut short by `stop`, which is no failure.
      await wait(pause, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const done = supervise();
  return {
    async stop() {
      stopping.abort();
      await child?.end(limits.killGraceMs);
      await done;
    },
  };
}

function startRunnerProcess(options: SupervisorOptions): RunningProcess {
  return startProcess(
    {
      command: options.command ?? runnerCommand(options.collection.root, '--daemon', '--tied'),
      env: inheritedEnvironment(),
      cwd: options.collection.root,
      isTiedToUs: true,
      // The runner writes the same kind of lines as the server; they belong together.
      onStderrLine: (line) => process.stderr.write(`${line}\n`),
    },
    new AbortController().signal,
  );
}
