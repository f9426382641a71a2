import { startHook, isDaemon, type HookRun, type RunnableHook } from './run-hook.ts';
import type { SnapshotRun } from './snapshot-run.ts';

/**
 * Runs hooks in the order of their plan: foreground hooks one after the other; background hooks are started and waited
 * for only until they are ready. After the last foreground hook the finite ones end by themselves, then the daemons
 * are asked to end, the last one started first. Returns early when the run was paused, cancelled or lost, and answers
 * the hooks that were not begun because the page has used up its size.
 */
export async function runHooks(run: SnapshotRun, hooks: readonly RunnableHook[]): Promise<RunnableHook[]> {
  const background: HookRun[] = [];
  try {
    for (const [index, hook] of hooks.entries()) {
      if (run.stopReason() !== undefined) break;
      if (run.isFull()) return hooks.slice(index);
      const started = await startHook(run, hook);
      if (!hook.background) await started.recorded;
      else {
        // A failure to record is noticed at the end; nobody may wait for it before.
        started.recorded.catch(() => undefined);
        background.push(started);
        await started.ready;
      }
    }
  } finally {
    await endBackground(background);
  }
  return [];
}

async function endBackground(background: readonly HookRun[]): Promise<void> {
  const finite = background.filter(({ hook }) => !isDaemon(hook));
  const daemons = background.filter(({ hook }) => isDaemon(hook)).reverse();
  const ended = await Promise.allSettled(finite.map((one) => one.recorded));
  for (const daemon of daemons) {
    daemon.askToEnd();
    ended.push(...(await Promise.allSettled([daemon.recorded])));
  }
  const failure = ended.find((one) => one.status === 'rejected');
  if (failure) throw failure.reason;
}
