import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface SmallDisk {
  folder: string;
  /** Takes what is left, to the last page; the returned function gives it back. */
  fill: () => () => void;
  remove: () => void;
}

/** A disk of its own of so many MiB, or undefined where mounting is not allowed. */
export function mountSmallDisk(mebibytes: number): SmallDisk | undefined {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-small-disk-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder]);
  if (mounted.status !== 0) {
    fs.rmdirSync(folder);
    return undefined;
  }
  return {
    folder,
    fill: () => {
      const file = path.join(folder, 'filler');
      const handle = fs.openSync(file, 'w');
      for (const size of [1024 * 1024, 4096]) while (tryWrite(handle, size));
      fs.closeSync(handle);
      return () => fs.rmSync(file);
    },
    remove: () => {
      spawnSync('umount', ['-l', folder]);
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}

function tryWrite(handle: number, size: number): boolean {
  try {
    return fs.writeSync(handle, Buffer.alloc(size)) > 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}
