import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { ensureBrowser, nameFetchedChromium } from './ensure-browser.mjs';
import { callerFolder, isRoot, root, run, say, Stop } from './tools.mjs';

const cli = join(root, 'dist/companion/cli.js');

/** What `npm start` takes: where the data lies and the port go to `serve`, what is left are addresses to keep. */
function parseStartArguments(args) {
  try {
    const options = { data: { type: 'string' }, port: { type: 'string' } };
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const data = values.data === undefined ? [] : ['--data', values.data];
    const port = values.port === undefined ? [] : ['--port', values.port];
    return { data, port, urls: positionals };
  } catch (error) {
    throw new Stop(`${error.message.split('. ')[0]}. Usage: npm start -- [--data FOLDER] [--port NUMBER] [URL...]`);
  }
}

/** Starts the companion and resolves when it has printed its login link and pairing code. */
function startCompanion(args) {
  // A process group of its own: Ctrl-C reaches it once, from here, and not a second time from the terminal.
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: callerFolder(),
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const exited = new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
  const facts = {};
  const ready = new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      process.stdout.write(`${line}\n`);
      facts.login ??= /https?:\/\/\S+#\S+/.exec(line)?.[0];
      facts.code ??= /pairing code\W+([A-Z0-9]{4}-?[A-Z0-9]{4})\b/i.exec(line)?.[1];
      if (facts.login && facts.code) resolve(facts);
    });
    void exited.then((code) => reject(new Stop(`The companion ended with exit code ${code} before it was ready.`)));
  });
  return { child, exited, ready };
}

/** A fresh profile with the extension in it, paired through its options page, and the library beside it. */
async function openBrowser(executablePath, { login, code }) {
  const { launch } = await import('puppeteer-core');
  const userDataDir = mkdtempSync(join(tmpdir(), 'holdfast-profile-'));
  const browser = await launch({
    executablePath,
    headless: false,
    pipe: true,
    defaultViewport: null,
    enableExtensions: [join(root, 'dist/extension/chrome-mv3')],
    userDataDir,
    handleSIGINT: false,
    // Without the bar that says the browser is under control of a test.
    ignoreDefaultArgs: ['--enable-automation'],
    args: ['--no-first-run', ...(isRoot ? ['--no-sandbox'] : [])],
  });
  const worker = await browser.waitForTarget(
    (target) => target.type() === 'service_worker' && target.url().startsWith('chrome-extension://'),
  );
  const [library] = await browser.pages();
  await library.goto(login);
  const options = await browser.newPage();
  const pairing = new URLSearchParams({ pair: code, address: `127.0.0.1:${new URL(login).port}` });
  await options.goto(new URL(`/options.html#${pairing}`, worker.url()).href);
  // The extension has opened its own first page at install: one is enough.
  for (const page of await browser.pages()) if (page !== library && page !== options) await page.close();
  return {
    close: () => browser.close().finally(() => rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 })),
  };
}

function hasDisplay() {
  return process.platform === 'darwin' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/**
 * `npm start`: the companion in the foreground until Ctrl-C, with a display a Chromium whose extension is paired, and
 * the given addresses kept.
 */
export async function start(args) {
  const { data, port, urls } = parseStartArguments(args);
  await ensureBuilt();
  if (urls.length > 0 && isServed(data)) {
    say('Holdfast runs already: the addresses are given to it.');
    return run(process.execPath, [cli, ...data, 'add', ...urls], { stdio: ['ignore', 1, 2], cwd: callerFolder() });
  }
  const chromium = await ensureBrowser('chromium').catch(saySoAndGoOn);
  const companion = startCompanion([...data, 'serve', ...port]);
  let browser;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => companion.child.kill('SIGTERM'));
  const facts = await companion.ready;
  process.stdout.write(
    `Extension:    ${join(root, 'dist/extension/chrome-mv3')} (for Firefox: firefox-mv3 beside it)\n`,
  );
  if (chromium && hasDisplay()) browser = await openBrowser(chromium, facts).catch(saySoAndGoOn);
  if (urls.length > 0)
    await run(process.execPath, [cli, ...data, 'add', ...urls], { stdio: ['ignore', 1, 2], cwd: callerFolder() });
  const code = await companion.exited;
  await browser?.close();
  return code;
}

/** True when a server of this collection runs; without a collection there is none. */
function isServed(data) {
  const status = spawnSync(process.execPath, [cli, ...data, 'status', '--json'], {
    cwd: callerFolder(),
    encoding: 'utf8',
  });
  return status.status === 0 && JSON.parse(status.stdout).server !== null;
}

/** Without a browser the companion still keeps what the user's own browser sends. */
function saySoAndGoOn(error) {
  say(error.message);
  return undefined;
}

/** `npm run -s holdfast -- COMMAND`: the CLI of this checkout, with the caller's folder, terminal and exit code. */
export async function runCli(args) {
  await ensureBuilt();
  await nameFetchedChromium();
  return run(process.execPath, [cli, ...args], { stdio: 'inherit', cwd: callerFolder() });
}
