import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { execaSync } from 'execa';

const onLinux = process.platform === 'linux';

interface StatFacts {
  state: string;
  groupId: number;
  startTicks: string;
}

/** Fields of /proc/<pid>/stat. The command may hold spaces and parentheses, so the fields begin after the last one. */
function readStat(pid: number | string): StatFacts | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined; // No such process: it ended between listing and reading.
  }
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , groupId] = fields;
  const startTicks = fields[19];
  if (state === undefined || groupId === undefined || startTicks === undefined) return undefined;
  return { state, groupId: Number(groupId), startTicks };
}

/** Start ticks count from boot, so the boot is part of the identity. */
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
}

function ps(...columns: string[]): string {
  return execaSync('ps', columns, { reject: false, env: { LC_ALL: 'C' } }).stdout.trim();
}

/**
 * When a process started, as an opaque text that differs between two processes that had the same number. Undefined
 * when there is no such process, or only its zombie. Outside Linux it comes from `ps -o lstart`, whole seconds.
 */
export function processStartTime(pid: number): string | undefined {
  if (!onLinux) {
    const [stat, ...started] = ps('-o', 'stat=,lstart=', '-p', String(pid)).split(/\s+/);
    return !stat || stat.startsWith('Z') ? undefined : `ps:${started.join(' ')}`;
  }
  const stat = readStat(pid);
  return stat === undefined || isEnded(stat.state) ? undefined : `${bootId()}:${stat.startTicks}`;
}

function isEnded(state: string): boolean {
  return state === 'Z' || state === 'X' || state === 'x';
}

/** Name of the space in which our process numbers mean something: two containers have different ones. */
export function pidNamespace(): string {
  return onLinux ? readlinkSync('/proc/self/ns/pid') : `host:${hostname()}`;
}

/**
 * Whether the process that had this number, start time and namespace still runs. One of another namespace cannot be
 * seen from here and counts as alive: only its stale heartbeat may retire it.
 */
export function isProcessAlive(pid: number, startedAt: string, namespace: string): boolean {
  if (namespace !== pidNamespace()) return true;
  return processStartTime(pid) === startedAt;
}

/**
 * Numbers of the living members of a process group, zombies left out (in a container without an init nobody collects
 * them, and `kill(-group, 0)` would find them for ever).
 */
export function processGroupMembers(groupId: number): number[] {
  if (!onLinux) {
    return ps('-A', '-o', 'pid=,pgid=,stat=')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, group, stat]) => Number(group) === groupId && !stat?.startsWith('Z'))
      .map(([pid]) => Number(pid));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const stat = readStat(name);
      return stat !== undefined && stat.groupId === groupId && !isEnded(stat.state);
    })
    .map(Number);
}
