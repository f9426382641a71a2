import fs from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createBrowserPool, type BrowserPoolOptions } from '../../companion/browser/browser-pool.ts';
import { writeBrowserRecord } from '../../companion/browser/browser-record.ts';
import { findChromium } from '../../companion/browser/find-chromium.ts';
import { processGroupMembers, processStartTime } from '../../companion/process/process-identity.ts';
import { startProcess } from '../../companion/process/run-process.ts';
import { CdpConnection } from '../../plugins/kit/cdp.ts';
import { bundleProgram } from '../helpers/bundle-program.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

vi.setConfig({ testTimeout: 90_000 });

const env = { PATH: process.env.PATH ?? '' };
const never = new AbortController().signal;

function startPool(profiles: string, rest: Partial<BrowserPoolOptions> = {}) {
  const notices: string[] = [];
  const pool = createBrowserPool({
    findProgram: () => findChromium(process.env),
    profileDir: (persona) => path.join(profiles, persona),
    proxyAddress: 'http://127.0.0.1:9',
    path: env.PATH,
    onNotice: (sentence) => notices.push(sentence),
    ...rest,
  });
  onTestFinished(() => pool.close());
  return { pool, notices };
}

it('lends one browser to all runs of a persona and closes it when nobody has used it for a while', async () => {
  const { pool, notices } = startPool(temporaryFolder(), { idleMs: 50 });
  const [first, second] = await Promise.all([pool.lend('Ada'), pool.lend('Ada')]);
  expect(second.cdpUrl).toBe(first.cdpUrl);
  expect(pool.controlPorts()).toEqual([Number(new URL(first.cdpUrl).port)]);
  const browser = await CdpConnection.connect(first.cdpUrl, never);
  first.release();
  first.release();
  const third = await pool.lend('Ada');
  expect(third.cdpUrl).toBe(first.cdpUrl);
  third.release();
  second.release();
  await browser.closed;
  const again = await pool.lend('Ada');
  expect(again.cdpUrl).not.toBe(first.cdpUrl);
  again.release();
  expect(notices.filter((sentence) => sentence.includes('root'))).toHaveLength(process.getuid?.() === 0 ? 1 : 0);
});

it('gives personas browsers of their own, and a new one after one has died', async () => {
  const { pool } = startPool(temporaryFolder());
  const [ada, ben] = [await pool.lend('Ada'), await pool.lend('Ben')];
  expect(ada.cdpUrl).not.toBe(ben.cdpUrl);
  const connection = await CdpConnection.connect(ada.cdpUrl, never);
  connection
    .session()
    .send('Browser.crash')
    .catch(() => undefined);
  await connection.closed;
  await expect.poll(() => pool.controlPorts(), { timeout: 20_000 }).toHaveLength(1);
  expect((await pool.lend('Ada')).cdpUrl).not.toBe(ada.cdpUrl);
});

it('ends the browser with its owner, also when that is killed', async () => {
  const folder = temporaryFolder();
  const program = await bundleProgram('tests/fixtures/browser-owner.ts', folder);
  let cdpUrl = '';
  const owner = startProcess(
    {
      command: [process.execPath, program, path.join(folder, 'profile')],
      env,
      cwd: folder,
      onStdoutLine: (line) => (cdpUrl = line),
    },
    never,
  );
  await owner.ready;
  const { pid } = JSON.parse(fs.readFileSync(path.join(folder, 'profile/holdfast-browser.json'), 'utf8'));
  expect(processGroupMembers(pid)).not.toEqual([]);
  const browser = await CdpConnection.connect(cdpUrl, never);
  process.kill(owner.pid ?? 0, 'SIGKILL');
  await browser.closed;
  await expect.poll(() => processGroupMembers(pid), { timeout: 20_000 }).toEqual([]);
});

it('ends a browser that an earlier life left on the profile', async () => {
  const profiles = temporaryFolder();
  const profile = path.join(profiles, 'Ada');
  fs.mkdirSync(profile);
  const left = startProcess({ command: ['sleep', '1000'], env, cwd: profile }, never);
  await writeBrowserRecord(profile, left.pid ?? 0, left.startedAt ?? '');
  fs.symlinkSync('elsewhere-1', path.join(profile, 'SingletonLock'));
  const { pool, notices } = startPool(profiles);
  await pool.lend('Ada');
  expect((await left.result).signal).toBe('SIGTERM');
  expect(processStartTime(left.pid ?? 0)).toBeUndefined();
  expect(notices).toContain('A Chromium left by an earlier run of persona Ada was ended.');
});

it('says what to do when there is no browser, and what one said that did not start', async () => {
  expect(() => findChromium({ PATH: '/nowhere' })).toThrow(/No Chromium or Chrome was found; install one/);
  expect(() => findChromium({ PATH: '/nowhere', CHROME_BINARY: 'chromiun' })).toThrow(
    'CHROME_BINARY names chromiun, which is no program',
  );
  const folder = temporaryFolder();
  const broken = path.join(folder, 'chromium');
  fs.writeFileSync(broken, '#!/bin/sh\necho "cannot open display" >&2\nexit 7\n', { mode: 0o755 });
  const { pool } = startPool(folder, { findProgram: () => broken });
  await expect(pool.lend('Ada')).rejects.toThrow(
    'Chromium did not start: it ended with exit code 7. cannot open display',
  );
});
