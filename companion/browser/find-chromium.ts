import { accessSync, constants } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';

const usualNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const usualPaths = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/snap/bin/chromium',
];

/**
 * Path of the Chromium or Chrome to use: the named one (`HOLDFAST_CHROMIUM`, `CHROME_BINARY`), else the first usual
 * one. A name that leads nowhere is an error, never silently replaced. Throws `not_found`.
 */
export function findChromium(environment: Readonly<Record<string, string | undefined>>): string {
  const folders = (environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const key of ['HOLDFAST_CHROMIUM', 'CHROME_BINARY']) {
    const named = environment[key];
    if (!named) continue;
    const found = findProgram(named, folders);
    if (found) return found;
    throw new HoldfastError('not_found', `${key} names ${named}, which is no program; correct or remove it.`);
  }
  for (const name of [...usualNames, ...usualPaths]) {
    const found = findProgram(name, folders);
    if (found) return found;
  }
  throw new HoldfastError(
    'not_found',
    'No Chromium or Chrome was found; install one (Debian: apt install chromium) or name it with HOLDFAST_CHROMIUM.',
  );
}

function findProgram(name: string, folders: readonly string[]): string | undefined {
  const candidates = isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name));
  return candidates.find((path) => isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // Not there, or no program.
  }
}
