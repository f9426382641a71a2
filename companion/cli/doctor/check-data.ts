import fs from 'node:fs';
import path from 'node:path';
import { limits } from '../../../shared/limits.ts';
import { sizePhrase } from '../../../shared/words/amounts.ts';
import { Layout } from '../../collection/layout.ts';
import { loadSettings } from '../../config/settings.ts';
import { fine, note, problem, reasonOf, type Finding } from './finding.ts';

/** Below this there is no room for a few more pages. */
const lowDiskBytes = 1024 ** 3;

/** The data folder: there, ours, private, with room, its settings and database sound. */
export async function checkData(root: string): Promise<Finding[]> {
  const layout = new Layout(root);
  const folder = checkFolder(layout.root);
  const findings = [folder, checkDisk(layout.root), checkSettings(layout)];
  if (folder.state !== 'problem' && fs.existsSync(layout.root)) findings.push(await checkCollection(layout));
  return findings;
}

function checkFolder(root: string): Finding {
  const existing = nearestExisting(root);
  if (!fs.statSync(existing).isDirectory()) {
    return problem('data folder', `${existing} is a file; name another data folder with --data or HOLDFAST_DATA.`);
  }
  if (!canWrite(existing)) {
    return problem(
      'data folder',
      `You may not write in ${existing}; change its owner, or name another folder with --data or HOLDFAST_DATA.`,
    );
  }
  if (existing !== root) return note('data folder', `${root} does not exist yet; "holdfast serve" makes it.`);
  const foreign = ['collection.sqlite3', 'blobs', 'uploads', 'run']
    .map((name) => path.join(root, name))
    .find((file) => fs.existsSync(file) && !canWrite(file));
  if (foreign !== undefined) {
    return problem(
      'data folder',
      `You may not write to ${foreign}, perhaps because Holdfast once ran as another user; give it back with: sudo chown -R "$USER" ${root}`,
    );
  }
  if (process.platform !== 'win32' && (fs.statSync(root).mode & 0o077) !== 0) {
    return problem(
      'data folder',
      `Other users of this computer can look into ${root}; close it with: chmod 700 ${root}`,
    );
  }
  return fine('data folder', `${root} is yours alone.`);
}

function checkDisk(root: string): Finding {
  const disk = fs.statfsSync(nearestExisting(root));
  const free = disk.bavail * disk.bsize;
  if (free < limits.freeDiskBytesMin) {
    return problem(
      'disk',
      `Only ${sizePhrase(free)} are free where ${root} lies, too little to keep anything; free some space.`,
    );
  }
  if (free < lowDiskBytes) return note('disk', `Only ${sizePhrase(free)} are free where ${root} lies.`);
  return fine('disk', `${sizePhrase(free)} are free.`);
}

function checkSettings(layout: Layout): Finding {
  try {
    loadSettings(layout.settings());
    return fine(
      'settings',
      fs.existsSync(layout.settings()) ? `${layout.settings()} is understood.` : 'No settings file; the defaults hold.',
    );
  } catch (error) {
    return problem('settings', `${reasonOf(error)}; correct ${layout.settings()} or the environment.`);
  }
}

async function checkCollection(layout: Layout): Promise<Finding> {
  const file = layout.database();
  if (!fs.existsSync(file)) return note('database', 'There is no collection yet; "holdfast serve" makes one.');
  try {
    const { checkDatabase } = await import('../../collection/check-database.ts');
    const { version, knownVersion, damages } = checkDatabase(file);
    if (version > knownVersion) {
      return problem(
        'database',
        `A newer Holdfast wrote this collection (schema ${version}, this one knows ${knownVersion}); update Holdfast.`,
      );
    }
    if (damages.length > 0) {
      return problem(
        'database',
        `The database is damaged (${damages[0]}); stop Holdfast, keep a copy of ${layout.root} and restore the last backup of ${file}.`,
      );
    }
    return fine('database', 'The database is sound.');
  } catch (error) {
    return problem(
      'database',
      `${file} cannot be read (${reasonOf(error)}); keep a copy of it and restore the last backup.`,
    );
  }
}

function nearestExisting(folder: string): string {
  return fs.existsSync(folder) ? folder : nearestExisting(path.dirname(folder));
}

function canWrite(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.W_OK);
    return true;
  } catch {
    return false; // Not allowed, or on a disk that can only be read.
  }
}
