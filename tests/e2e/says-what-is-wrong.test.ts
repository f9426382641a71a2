import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'puppeteer-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import type { SnapshotRecord } from '../../shared/model/api-records.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { startSite, type TestSite } from '../helpers/site.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { waitUntil } from '../helpers/wait-until.ts';

let site: TestSite;
let chromium: ExtensionBrowser;

beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.stop());
beforeEach(async () => {
  chromium = await launchWithExtension();
  onTestFinished(() => chromium.close());
});

async function companionFor(dataDir = temporaryFolder(), port = 0): Promise<TestCompanion> {
  const companion = await startCompanion({ dataDir, port, args: ['--no-runner'] });
  onTestFinished(() => companion.stop());
  return companion;
}

async function open(address: string): Promise<Page> {
  const page = await chromium.browser.newPage();
  await page.goto(address);
  return page;
}

/** The popup as the person sees it after clicking on this page. */
async function openPopup(page: Page): Promise<Page> {
  await page.bringToFront();
  await chromium.clickToolbar(page);
  const target = await chromium.browser.waitForTarget((one) => one.url().endsWith('popup.html'));
  return target.asPage();
}

/** Waits until the popup says it; fails with what it says instead. */
async function expectPopup(popup: Page, words: RegExp): Promise<void> {
  const read = () => popup.evaluate(() => document.body.innerText.replaceAll(/\s+/g, ' '));
  let last = '';
  await waitUntil(
    `the popup says ${words}, instead of: `,
    async () => words.test((last = await read())) || undefined,
    30_000,
  ).catch((error: Error) => {
    throw new Error(`${error.message}${last}`);
  });
}

async function snapshotsOf(companion: TestCompanion): Promise<SnapshotRecord[]> {
  const answer = await companion.request(`${routes.snapshots}?with_archiveresults=true`);
  return (answer.json() as { items: SnapshotRecord[] }).items;
}

/** A program that is not the companion, and every header and body it was ever sent. */
async function startStranger(answer: (path: string) => unknown): Promise<{ port: number; heard: () => string }> {
  let heard = '';
  const server = http.createServer((request, response) => {
    heard += `${request.method} ${request.url} ${request.rawHeaders.join(' ')}\n`;
    request.setEncoding('utf8').on('data', (text: string) => (heard += text));
    request.on('end', () =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(request.url ?? ''))),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

test('a wrong pairing code', async () => {
  const companion = await companionFor();
  await chromium.send('setCompanionAddress', { address: `127.0.0.1:${companion.port}` });
  const options = await chromium.openPage('options.html#pair=AAAA-AAAA');
  await expectPopup(options, /code is not the right one; check it and try again/);
  const popup = await openPopup(await open(site.a('/blue.html')));
  await expectPopup(popup, /not paired with Holdfast yet/);
  await chromium.waitForCapture((record) => record.stage === 'waiting');
  await chromium.pair(companion);
  await chromium.waitForCapture((record) => record.stage === 'sent');
  expect(await snapshotsOf(companion)).toHaveLength(1);
});

test('a pairing that was taken back', async () => {
  const companion = await companionFor();
  await chromium.pair(companion);
  const [pairing] = companion.access.pairings();
  await companion.access.revokePairing(pairing!.id);
  const popup = await openPopup(await open(site.a('/blue.html')));
  await expectPopup(popup, /pairing was taken back\. Pair again/);
  await chromium.waitForCapture((record) => record.stage === 'waiting');
  await chromium.pair({ port: companion.port, pairingCode: await companion.access.newPairingCode() });
  await chromium.waitForCapture((record) => record.stage === 'sent');
  expect(await snapshotsOf(companion)).toHaveLength(1);
});

test('another program on the port gets neither the token nor the page', async () => {
  const companion = await companionFor();
  await chromium.pair(companion);
  const stranger = await startStranger(() => ({ ok: true }));
  await chromium.send('setCompanionAddress', { address: `127.0.0.1:${stranger.port}` });
  const popup = await openPopup(await open(site.a('/blue.html')));
  await expectPopup(popup, /Another program answers at 127\.0\.0\.1:\d+.*Nothing was sent to it/);
  await chromium.waitForCapture((record) => record.stage === 'waiting');
  expect(stranger.heard()).toContain(routes.hello);
  expect(stranger.heard()).not.toMatch(/authorization|bearer|blue/i);
  await chromium.send('setCompanionAddress', { address: `127.0.0.1:${companion.port}` });
  await chromium.send('retryOutbox', {});
  await chromium.waitForCapture((record) => record.stage === 'sent');
  expect(await snapshotsOf(companion)).toHaveLength(1);
});

test('a program that repeats the right proof of the real companion from another port is a stranger too', async () => {
  const companion = await companionFor();
  await chromium.pair(companion);
  const relay = await startRelay(companion.port);
  await chromium.send('setCompanionAddress', { address: `127.0.0.1:${relay.port}` });
  const popup = await openPopup(await open(site.a('/blue.html')));
  await expectPopup(popup, /Another program answers/);
  expect(relay.heard()).not.toMatch(/authorization/i);
});

/** Passes every hello on to the real companion, as a thief of tokens would. */
async function startRelay(companionPort: number): Promise<{ port: number; heard: () => string }> {
  let heard = '';
  const server = http.createServer((request, response) => {
    heard += request.rawHeaders.join(' ');
    const headers = { ...request.headers, host: `127.0.0.1:${companionPort}` };
    const onward = http.request(
      { port: companionPort, method: request.method, path: request.url, headers },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, heard: () => heard };
}

test('a companion of another version', async () => {
  const companion = await companionFor();
  await chromium.pair(companion);
  const newer = await startStranger(() => ({
    name: 'holdfast',
    version: '99.0.0',
    protocol: 99,
    protocol_oldest: 98,
    port: 1,
    ui: 'http://holdfast.localhost:1',
    proof: null,
    unknown_pairing: false,
  }));
  await chromium.send('setCompanionAddress', { address: `127.0.0.1:${newer.port}` });
  const popup = await openPopup(await open(site.a('/blue.html')));
  await expectPopup(popup, /99\.0\.0.*Update the older of the two/);
  await chromium.waitForCapture((record) => record.stage === 'waiting');
  expect(newer.heard()).not.toMatch(/authorization/i);
  await chromium.send('setCompanionAddress', { address: `127.0.0.1:${companion.port}` });
  await chromium.send('retryOutbox', {});
  await chromium.waitForCapture((record) => record.stage === 'sent');
});

test('a companion that is not running', async () => {
  const dataDir = temporaryFolder();
  const first = await startCompanion({ dataDir, args: ['--no-runner'] });
  await chromium.pair(first);
  await first.stop();
  const popup = await openPopup(await open(site.a('/blue.html')));
  await expectPopup(popup, /not running on this computer.*safe in this browser/);
  await chromium.waitForCapture((record) => record.stage === 'waiting');
  const again = await companionFor(dataDir, first.port);
  await chromium.send('retryOutbox', {});
  await chromium.waitForCapture((record) => record.stage === 'sent');
  expect(await snapshotsOf(again)).toHaveLength(1);
});

const isRoot = process.getuid?.() === 0;

test.skipIf(!isRoot)('a full disk (needs root, to mount a small one)', async () => {
  const folder = temporaryFolder('holdfast-small-disk');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  const companion = await companionFor(folder);
  await chromium.pair(companion);
  const popup = await openPopup(await open(site.a('/blue.html')));
  await expectPopup(popup, /disk of Holdfast is full\. Free some space/);
  const [record] = await chromium.captures();
  expect(record!.stage).toBe('waiting');
  execFileSync('mount', ['-o', 'remount,size=600m', folder]);
  await chromium.send('retryOutbox', {});
  await chromium.waitForCapture((one) => one.stage === 'sent');
  expect(fs.existsSync(folder)).toBe(true);
  expect((await snapshotsOf(companion))[0]!.output_size).toBeGreaterThan(0);
});

test('a page that was deleted in the library while it was being sent', async () => {
  const companion = await companionFor();
  await chromium.pair(companion);
  const page = await open(site.a('/heavy.html'));
  const popup = await openPopup(page);
  const snapshot = await waitUntil('the upload has begun', async () => {
    const [one] = await snapshotsOf(companion);
    return one?.archiveresults.length ? one : undefined;
  });
  await companion.request(routes.snapshot(snapshot.id), { method: 'DELETE' });
  await expectPopup(popup, /deleted in your library.*copy is still here: keep it again, or discard it/);
  const record = await chromium.waitForCapture((one) => one.stage === 'deleted_there');
  await chromium.send('sendAsNew', { id: record.id });
  await chromium.waitForCapture((one) => one.stage === 'sent', 110_000);
  const kept = await snapshotsOf(companion);
  expect(kept).toHaveLength(1);
  expect(kept[0]!.id).not.toBe(snapshot.id);
});
