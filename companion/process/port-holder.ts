import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { execaSync } from 'execa';

export interface PortHolder {
  pid: number;
  /** Name of its program. */
  name: string;
}

/**
 * The process that listens on a TCP port of this machine. Undefined when nobody does, or when it belongs to another
 * user whose processes cannot be looked into.
 */
export function findPortHolder(port: number): PortHolder | undefined {
  return process.platform === 'linux' ? findInProc(port) : findWithLsof(port);
}

const LISTEN = '0A';

function findInProc(port: number): PortHolder | undefined {
  const sockets = new Set(['tcp', 'tcp6'].flatMap((table) => listeningSockets(table, port)));
  if (sockets.size === 0) return undefined;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    if (openSockets(pid).some((socket) => sockets.has(socket))) {
      return { pid: Number(pid), name: readText(`/proc/${pid}/comm`).trim() };
    }
  }
  return undefined;
}

/** Inode numbers of the sockets that listen on the port, from a table such as /proc/net/tcp. */
function listeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return readText(`/proc/net/${table}`)
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(suffix) && columns[3] === LISTEN)
    .map((columns) => `socket:[${columns[9]}]`);
}

function openSockets(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      const target = readLink(`/proc/${pid}/fd/${name}`);
      return target?.startsWith('socket:') ? [target] : [];
    });
  } catch {
    return []; // Ended meanwhile, or another user's.
  }
}

function readLink(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // Closed meanwhile.
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // Ended meanwhile, or a kernel without IPv6.
  }
}

function findWithLsof(port: number): PortHolder | undefined {
  const { stdout } = execaSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { reject: false });
  const pid = /^p(\d+)$/m.exec(stdout ?? '')?.[1];
  const name = /^c(.+)$/m.exec(stdout ?? '')?.[1];
  return pid === undefined ? undefined : { pid: Number(pid), name: name ?? 'an unknown program' };
}
