import { readdirSync, readFileSync } from 'node:fs';
import { execaSync } from 'execa';

/**
 * Ids of the process groups that hold a process which was started with the variable set to one of the values; our own
 * group is left out. It finds what nobody wrote down: children of a runner that died at the wrong moment, and those
 * that left their group. Processes of other users are not seen.
 */
export function findGroupsByVariable(name: string, values: ReadonlySet<string>): number[] {
  if (values.size === 0) return [];
  const groups = process.platform === 'linux' ? searchProc(name, values) : searchPs(name, values);
  return [...new Set(groups)].filter((group) => group > 1 && group !== ownGroup());
}

function searchProc(name: string, values: ReadonlySet<string>): number[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      const found = readOrNothing(`/proc/${pid}/environ`)
        .split('\0')
        .some((entry) => entry.startsWith(`${name}=`) && values.has(entry.slice(name.length + 1)));
      return found ? groupOf(pid) : [];
    });
}

/** The command may hold spaces and parentheses, so the fields begin after the last one. */
function groupOf(pid: string): number[] {
  const stat = readOrNothing(`/proc/${pid}/stat`);
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === undefined || state === 'Z' ? [] : [Number(group)];
}

function ownGroup(): number | undefined {
  return process.platform === 'linux' ? groupOf('self')[0] : undefined;
}

function readOrNothing(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // It ended meanwhile, or belongs to somebody else.
  }
}

function searchPs(name: string, values: ReadonlySet<string>): number[] {
  const { stdout } = execaSync('ps', ['-axEww', '-o', 'pgid=,command='], { reject: false });
  return stdout
    .split('\n')
    .filter((line) => [...values].some((value) => ` ${line} `.includes(` ${name}=${value} `)))
    .map((line) => Number(line.trim().split(/\s+/, 1)[0]));
}
