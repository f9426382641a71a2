import { torture } from './torture-options.ts';
import { readSyscallLog } from './syscall-log.ts';

/** Which of the points of a sweep are tried: all in `npm run torture`, some of them, spread out, in `npm test`. */
export function sweepPoints(first: number, last: number): number[] {
  const all = Array.from({ length: Math.max(0, last - first + 1) }, (_none, index) => first + index);
  if (torture) return all;
  const stride = Math.max(1, Math.floor(all.length / shortSweep));
  return all.filter((_point, index) => index % stride === 0);
}

const shortSweep = 5;

/** The number of the last call that a process made so far. */
export function lastCall(log: string, pid: number): number {
  return Math.max(0, ...readSyscallLog(log, pid).map((event) => event.number));
}
