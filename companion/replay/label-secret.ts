import { randomBytes, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

const SECRET_BYTES = 32;

/**
 * The key of all labels, made once per collection and kept in its run folder: a page that is open while the companion
 * restarts goes on working. It opens nothing that a reader of the folder could not read anyway.
 */
export function loadLabelSecret(runtimeFolder: string): Uint8Array {
  const file = path.join(runtimeFolder, 'replay-secret');
  const known = readSecret(file);
  if (known) return known;
  const temporary = `${file}.${randomUUID()}.tmp`;
  fs.writeFileSync(temporary, randomBytes(SECRET_BYTES), { flag: 'wx', mode: 0o600 });
  try {
    if (fs.existsSync(file)) fs.renameSync(temporary, file);
    else linkUnlessThere(temporary, file);
  } finally {
    fs.rmSync(temporary, { force: true });
  }
  return readSecret(file)!;
}

/** Two processes may start at once; the first one's secret holds for both. */
function linkUnlessThere(from: string, to: string): void {
  try {
    fs.linkSync(from, to);
  } catch (error) {
    if (!fs.existsSync(to)) throw error;
  }
}

/** Undefined when there is none, or what is there was cut short. */
function readSecret(file: string): Uint8Array | undefined {
  if (!fs.existsSync(file)) return undefined;
  const bytes = fs.readFileSync(file);
  return bytes.length === SECRET_BYTES ? bytes : undefined;
}
