import fs from 'node:fs';
import path from 'node:path';

export interface SyscallEvent {
  pid: number;
  /** Position in the process's own count; 0 for answers on a socket, which do not count. */
  number: number;
  call: 'fsync' | 'fdatasync' | 'write' | 'rename' | 'link' | 'unlink' | 'ftruncate' | 'answer';
  path: string;
  /** Second path of a rename or link, status of an answer, else how much. */
  rest: string;
}

const names: Record<string, SyscallEvent['call']> = {
  writev: 'write',
  pwrite: 'write',
  pwrite64: 'write',
  pwritev: 'write',
  pwritev64: 'write',
  ftruncate64: 'ftruncate',
};

/** The calls of one process in the order they ended. */
export function readSyscallLog(file: string, pid: number): SyscallEvent[] {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [process = '', number = '', call = '', place = '', rest = ''] = line.split('\t');
      return {
        pid: Number(process),
        number: Number(number),
        call: names[call] ?? (call as SyscallEvent['call']),
        path: place,
        rest,
      };
    })
    .filter((event) => event.pid === pid);
}

export function isSync(event: SyscallEvent): boolean {
  return event.call === 'fsync' || event.call === 'fdatasync';
}

/** One thing that must have reached the disk before the next may begin. */
interface Step {
  what: string;
  matches: (event: SyscallEvent) => boolean;
}

/**
 * Checks that a finished upload reached the disk in the one order that survives a power cut at every point (DESIGN
 * section 5). `events` begins behind everything older and ends with the answer. Returns what is wrong, in words; an
 * empty list is the proof.
 */
export function uploadOrderFaults(
  events: readonly SyscallEvent[],
  place: { blob: string; database: string; link: string },
): string[] {
  const moved = events.findIndex((event) => event.call === 'rename' && event.rest === place.blob);
  if (moved < 0) return ['the part was never moved to its blob'];
  const part = events[moved]!.path;
  const folder = path.dirname(part);
  const blobFolder = path.dirname(place.blob);
  const wal = `${place.database}-wal`;
  const writes = (file: string): Step => ({
    what: `write ${path.basename(file)}`,
    matches: (event) => event.call === 'write' && event.path === file,
  });
  const syncs = (file: string): Step => ({
    what: `sync ${path.basename(file)}`,
    matches: (event) => isSync(event) && event.path === file,
  });
  const isRecord = (name: string): boolean =>
    path.dirname(name) === folder && path.basename(name).startsWith('upload.json.');
  const steps: Step[] = [
    writes(part),
    syncs(part),
    { what: 'write upload.json', matches: (event) => event.call === 'write' && isRecord(event.path) },
    { what: 'sync upload.json', matches: (event) => isSync(event) && isRecord(event.path) },
    {
      what: 'rename upload.json',
      matches: (event) => event.call === 'rename' && event.rest === path.join(folder, 'upload.json'),
    },
    { what: 'sync the upload folder', matches: (event) => isSync(event) && event.path === folder },
    { what: 'rename the part to its blob', matches: (event) => event.call === 'rename' && event.rest === place.blob },
    { what: 'sync the blob folder', matches: (event) => isSync(event) && event.path === blobFolder },
    writes(wal),
    syncs(wal),
    { what: 'link into the snapshot folder', matches: (event) => event.call === 'rename' && event.rest === place.link },
    { what: 'sync the snapshot folder', matches: (event) => isSync(event) && event.path === path.dirname(place.link) },
    { what: 'answer 200', matches: (event) => event.call === 'answer' && event.rest === '200' },
  ];
  return [...missingSteps(events, steps), ...lateWrites(events, part, wal)];
}

/** Each step must be found behind the one before it. */
function missingSteps(events: readonly SyscallEvent[], steps: readonly Step[]): string[] {
  let at = 0;
  for (const [index, step] of steps.entries()) {
    const found = events.findIndex((event, position) => position >= at && step.matches(event));
    if (found < 0) return [`"${step.what}" does not follow "${steps[index - 1]?.what ?? 'the beginning'}"`];
    at = found + 1;
  }
  return [];
}

/** Nothing may be written behind the last sync of a file. */
function lateWrites(events: readonly SyscallEvent[], part: string, wal: string): string[] {
  return [part, wal].flatMap((file) => {
    const written = events.findLastIndex((event) => event.call === 'write' && event.path === file);
    const synced = events.findLastIndex((event) => isSync(event) && event.path === file);
    return written > synced ? [`${path.basename(file)} was written behind its last sync`] : [];
  });
}
