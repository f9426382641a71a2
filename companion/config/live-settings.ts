import fs from 'node:fs';
import { loadSettings, type Settings } from './settings.ts';

/** The settings as the file says now. Read again only when the file changed; an unreadable one changes nothing. */
export function liveSettings(file: string, onProblem: (error: unknown) => void): () => Settings {
  let seen = stampOf(file);
  let { settings } = loadSettings(file);
  return () => {
    const stamp = stampOf(file);
    if (stamp === seen) return settings;
    seen = stamp;
    try {
      ({ settings } = loadSettings(file));
    } catch (error) {
      onProblem(error);
    }
    return settings;
  };
}

function stampOf(file: string): string {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino}:${stat.mtimeMs}:${stat.size}`;
}
