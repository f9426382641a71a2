import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installHint, installSystemPackages } from './system-packages.mjs';
import { findOnPath, readJson, root, runNpm, say, Stop } from './tools.mjs';

const compilerPackages = 'build-essential python3';

/**
 * True when node_modules holds what the lock file names: npm keeps its own record of the installed tree. A package
 * for another platform may be missing, one of another version may not be there.
 */
function packagesMatchLock() {
  if (!existsSync(join(root, 'package-lock.json')) || !existsSync(join(root, 'node_modules/.package-lock.json')))
    return false;
  const installed = readJson('node_modules/.package-lock.json').packages;
  return Object.entries(readJson('package-lock.json').packages).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    return found
      ? found.version === wanted.version && existsSync(join(root, path))
      : Boolean(wanted.optional || wanted.peer);
  });
}

function installStamp() {
  const hash = createHash('sha256');
  for (const file of ['package.json', 'package-lock.json']) {
    if (existsSync(join(root, file))) hash.update(readFileSync(join(root, file)));
  }
  const binary = join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node');
  hash.update(`${process.versions.modules} ${process.platform} ${process.arch} `);
  hash.update(existsSync(binary) ? String(statSync(binary).mtimeMs) : 'none');
  return hash.digest('hex');
}

function sqliteLoads() {
  const script = "new (require('better-sqlite3'))(':memory:').prepare('select 1').get()";
  return spawnSync(process.execPath, ['-e', script], { cwd: root, stdio: 'ignore' }).status === 0;
}

/** Compiles better-sqlite3 for this Node, with a compiler from the system's packages when there is none. */
async function rebuildSqlite() {
  say(`Building SQLite for Node ${process.versions.node}, about a minute.`);
  if ((await runNpm(['rebuild', 'better-sqlite3'])) === 0 && sqliteLoads()) return;
  const missing = !findOnPath(['make']) || !findOnPath(['g++', 'c++']) || !findOnPath(['python3']);
  if (missing && (await installSystemPackages(compilerPackages, 'SQLite is compiled on this machine'))) {
    if ((await runNpm(['rebuild', 'better-sqlite3'])) === 0 && sqliteLoads()) return;
  }
  throw new Stop(
    `better-sqlite3 could not be built for Node ${process.versions.node}; a C++ compiler, make and python3 are needed: ` +
      installHint(compilerPackages),
  );
}

/** Brings node_modules up to date with the lock file and this Node; silent and quick when nothing is to be done. */
export async function ensureInstalled() {
  const stampFile = join(root, 'node_modules/.holdfast-install');
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === installStamp()) return;
  if (!packagesMatchLock()) {
    const command = existsSync(join(root, 'package-lock.json')) ? 'ci' : 'install';
    say(`Installing packages (npm ${command}), one or two minutes.`);
    // Scripts run afterwards, for better-sqlite3 alone: a failing compiler must not take the whole install with it.
    if ((await runNpm([command, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])) !== 0) {
      throw new Stop(`npm ${command} failed; the lines above say why. After a change of package.json run: npm install`);
    }
  }
  if (!sqliteLoads()) await rebuildSqlite();
  writeFileSync(stampFile, installStamp());
}
