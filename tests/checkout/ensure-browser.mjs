import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { installHint, installSystemPackages } from './system-packages.mjs';
import { findOnPath, say, Stop } from './tools.mjs';

const browserKinds = {
  chromium: {
    variable: 'HOLDFAST_CHROMIUM',
    commands: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'],
    bundles: ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome'],
    pinned: 'chrome',
    debianPackage: 'chromium',
  },
  firefox: {
    variable: 'HOLDFAST_FIREFOX',
    commands: ['firefox-esr', 'firefox'],
    bundles: ['Firefox.app/Contents/MacOS/firefox'],
    pinned: 'firefox',
    debianPackage: 'firefox-esr',
  },
};

/** Some systems have a script by a browser's name that only says how to get it: one that cannot tell its version is none. */
function browserRuns(path) {
  return spawnSync(path, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
}

function findSystemBrowser({ commands, bundles }) {
  const candidates = [
    ...commands.map((name) => findOnPath([name])),
    ...bundles.map((bundle) => join('/Applications', bundle)),
  ];
  return candidates.find((path) => path && existsSync(path) && browserRuns(path));
}

/** The build that puppeteer pins, in puppeteer's own cache, whether it was fetched already or not. */
async function locatePinnedBuild({ pinned }) {
  const { computeExecutablePath } = await import('@puppeteer/browsers');
  const { PUPPETEER_REVISIONS } = await import('puppeteer-core/internal/revisions.js');
  const cacheDir = process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer');
  const build = { browser: pinned, buildId: PUPPETEER_REVISIONS[pinned], cacheDir };
  return { build, path: computeExecutablePath(build) };
}

/** Path of the pinned build, fetched once; undefined where it cannot be had or does not run. */
async function fetchPinnedBrowser(browser) {
  const { build, path } = await locatePinnedBuild(browser);
  if (!existsSync(path)) {
    say(`Fetching ${build.browser} ${build.buildId}, the build that puppeteer pins.`);
    try {
      const { install } = await import('@puppeteer/browsers');
      await install(build);
    } catch (error) {
      say(`It could not be fetched: ${error.message}`);
      return undefined;
    }
  }
  if (browserRuns(path)) return path;
  say(`The fetched ${build.browser} does not run here: libraries of the system are missing.`);
  return undefined;
}

/** For commands that must not wait for a download: names the Chromium fetched earlier where the system has none. */
export async function nameFetchedChromium() {
  const { variable, commands } = browserKinds.chromium;
  if (process.env[variable] || findOnPath(commands)) return;
  const { path } = await locatePinnedBuild(browserKinds.chromium);
  if (existsSync(path)) process.env[variable] = path;
}

/**
 * Finds a browser and tells every program started from here where it is: the one the environment names, else one of the
 * system, else the build that puppeteer pins, else as root on Debian the system's package. Throws Stop with what to do.
 */
export async function ensureBrowser(kind) {
  const browser = browserKinds[kind];
  const chosen = process.env[browser.variable];
  if (chosen) {
    if (browserRuns(chosen)) return chosen;
    throw new Stop(`${browser.variable} names ${chosen}, which does not run: correct or unset it.`);
  }
  let path = findSystemBrowser(browser) ?? (await fetchPinnedBrowser(browser));
  if (!path && (await installSystemPackages(browser.debianPackage, `no ${kind} was found`))) {
    path = findSystemBrowser(browser);
  }
  if (!path) throw new Stop(`No ${kind} was found; ${installHint(browser.debianPackage)}`);
  process.env[browser.variable] = path;
  return path;
}
