import { setTimeout as delay } from 'node:timers/promises';
import { processGroupMembers, processStartTime } from './process-identity.ts';

/** Members need not be our children, so their end cannot be awaited as an event. */
const lookEveryMs = 25;

/**
 * Ends a whole process group: TERM, then KILL for what is left after `graceMs`. Resolves when no member lives.
 * Answers false, and touches nothing, when the group is gone already or when its leader is not the process that
 * `startedAt` names (the number was used again).
 */
export async function endProcessGroup(groupId: number, graceMs: number, startedAt?: string): Promise<boolean> {
  const leader = processStartTime(groupId);
  if (startedAt !== undefined && leader !== undefined && leader !== startedAt) return false;
  if (processGroupMembers(groupId).length === 0) return false;
  signalGroup(groupId, 'SIGTERM');
  if (!(await isGroupGone(groupId, graceMs))) {
    signalGroup(groupId, 'SIGKILL');
    // The kernel ends a killed process as soon as it leaves a system call; a dead disk may hold it for ever.
    await isGroupGone(groupId, 5_000);
  }
  return true;
}

async function isGroupGone(groupId: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (processGroupMembers(groupId).length > 0) {
    if (performance.now() >= deadline) return false;
    await delay(lookEveryMs);
  }
  return true;
}

/** A group may end between the look and the signal; that is what was wanted. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
