import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, runToolQuietly, say, Stop } from './tools.mjs';

/** What is built from what, and with which tool; `folders` below the given folder are swapped into `dist/` whole. */
const parts = [
  {
    name: 'companion and plugins',
    sources: ['shared', 'companion', 'plugins'],
    output: 'companion/cli.js',
    folders: ['companion', 'plugins'],
    tool: 'rolldown',
    args: () => ['-c', 'companion/rolldown.config.ts'],
  },
  {
    name: 'web UI',
    sources: ['shared', 'companion/web/client'],
    output: 'web/index.html',
    folders: ['web'],
    tool: 'vite',
    args: (out) => ['build', 'companion/web/client', '--outDir', join(out, 'web')],
  },
  extensionPart('Chromium', 'chrome-mv3', []),
  extensionPart('Firefox', 'firefox-mv3', ['-b', 'firefox', '--mv3']),
];

/** Nobody answers a permission prompt in a test: these ask for everything at install. */
const partsForTests = [
  extensionPart('Chromium tests', 'chrome-mv3-test', [], { HOLDFAST_TEST_PERMISSIONS: '1' }),
  extensionPart('Firefox tests', 'firefox-mv3-test', ['-b', 'firefox', '--mv3'], { HOLDFAST_TEST_PERMISSIONS: '1' }),
];

function extensionPart(browser, folder, args, env = {}) {
  return {
    name: `extension for ${browser}`,
    sources: ['shared', 'extension', 'wxt.config.ts'],
    output: `extension/${folder}/manifest.json`,
    folders: [`extension/${folder}`],
    tool: 'wxt',
    args: () => ['build', ...args],
    env,
  };
}

function filesBelow(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (!statSync(full).isDirectory()) return [path];
  return readdirSync(full)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)))
    .filter((file) => !/\.test\.tsx?$/.test(file));
}

function sourceStamp(part) {
  const hash = createHash('sha256').update(`${part.name} ${process.versions.node}`);
  for (const file of ['bootstrap.mjs', 'package-lock.json', ...part.sources.flatMap(filesBelow)]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

/** One build at a time per checkout: another command may be building at this moment. */
async function withBuildLock(work) {
  const lock = join(root, 'dist/.lock');
  mkdirSync(join(root, 'dist/.stamps'), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (holderIsGone(lock)) rmSync(lock, { force: true });
      else await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function holderIsGone(lock) {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error.code !== 'EPERM';
  }
}

async function buildPart(part) {
  const out = join(root, 'dist/.next');
  rmSync(out, { recursive: true, force: true });
  if ((await runToolQuietly(part.tool, part.args(out), { HOLDFAST_OUT: out, ...part.env })) !== 0) return false;
  for (const folder of part.folders) {
    const target = join(root, 'dist', folder);
    mkdirSync(dirname(target), { recursive: true });
    // Swapped whole, so that a program started meanwhile finds the old or the new build, never half of one.
    if (existsSync(target)) renameSync(target, join(out, 'replaced'));
    renameSync(join(out, folder), target);
    rmSync(join(out, 'replaced'), { recursive: true, force: true });
  }
  rmSync(out, { recursive: true, force: true });
  return true;
}

/** Builds the parts whose sources changed since they were built; all of them are tried before the first failure is told. */
export async function ensureBuilt({ forTests = false } = {}) {
  const failures = [];
  await withBuildLock(async () => {
    for (const part of forTests ? [...parts, ...partsForTests] : parts) {
      const stampFile = join(root, 'dist/.stamps', part.name.replaceAll(' ', '-'));
      const stamp = sourceStamp(part);
      const fresh = existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
      if (fresh && existsSync(join(root, 'dist', part.output))) continue;
      say(`Building the ${part.name}.`);
      if (!(await buildPart(part))) failures.push(part.name);
      else writeFileSync(stampFile, stamp);
    }
  });
  if (failures.length > 0) throw new Stop(`Not built: ${failures.join(', ')}; the lines above say why.`);
}

/** `npm run build`; `-- --for-tests` also builds the extensions that ask for every permission at install. */
export async function build(args) {
  await ensureBuilt({ forTests: args.includes('--for-tests') });
  return 0;
}
