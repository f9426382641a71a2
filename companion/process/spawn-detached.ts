import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { processStartTime } from './process-identity.ts';
import type { SpawnOptions } from './spawn-captured.ts';

/**
 * Starts a process that outlives us, in a group of its own, both streams appended to a log file. Throws `internal`
 * when it cannot be started. Not through execa, which copies streams itself and so would need us to live.
 */
export async function spawnDetached(
  options: Omit<SpawnOptions, 'isTiedToUs'> & { logFile: string },
): Promise<{ pid: number; startedAt: string | undefined }> {
  const [file, ...args] = options.command;
  const log = await open(options.logFile, 'a');
  try {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: options.env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      ...options.user,
    });
    if (child.pid === undefined) {
      const [cause] = (await once(child, 'error')) as [Error];
      throw new HoldfastError('internal', `${file} could not be started; see whether it exists and is executable`, {
        cause,
      });
    }
    child.unref();
    return { pid: child.pid, startedAt: processStartTime(child.pid) };
  } finally {
    await log.close();
  }
}
