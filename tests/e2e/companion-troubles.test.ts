import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { CaptureRecord } from '../../extension/outbox/capture-record.ts';
import { companionName, protocolVersion } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { waitForText } from '../helpers/page-checks.ts';
import { startSite, type TestSite } from '../helpers/site.ts';
import { mountSmallDisk } from '../helpers/small-disk.ts';
import { startStranger } from '../helpers/stranger.ts';

let dataDir: string;
let site: TestSite;
let companion: TestCompanion | undefined;
let extension: ExtensionBrowser;

beforeEach(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-troubles-'));
  site = await startSite();
  extension = await launchWithExtension();
}, 240_000);

afterEach(async () => {
  await extension?.close();
  await companion?.stop();
  companion = undefined;
  await site?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

async function startPaired(folder = dataDir): Promise<TestCompanion> {
  companion = await startCompanion({ dataDir: folder, args: ['--no-runner'] });
  await extension.pair(companion);
  return companion;
}

/** Keeps a page by a click and returns it as soon as it is whole in the browser. */
async function keep(address = '/untitled.html'): Promise<CaptureRecord> {
  const page = await extension.browser.newPage();
  await page.goto(site.a(address));
  await page.bringToFront();
  await extension.clickToolbar(page);
  return extension.waitForCapture((one) => one.url === site.a(address) && one.stage !== 'capturing', 120_000);
}

/** The one sentence a person reads in the popup. */
async function expectInPopup(address: string, sentence: string): Promise<void> {
  const popup = await extension.openPage(`popup.html?tab=${await extension.tabId(site.a(address))}`);
  await waitForText(popup, sentence, 60_000);
  await popup.close();
}

async function expectAllBytes(capture: CaptureRecord): Promise<void> {
  for (const file of capture.witnesses.flatMap((witness) => witness.files)) {
    expect([file.path, (await extension.readFile(capture.id, file.path)).length]).toEqual([file.path, file.bytes]);
  }
}

const sent = (id: string) => (one: CaptureRecord) => one.id === id && one.stage === 'sent';

test('a wrong code is said and pairs nothing', async () => {
  companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  await extension.send('setCompanionAddress', { address: `127.0.0.1:${companion.port}` });
  const wrong = await extension.send('pair', { code: 'AAAA-AAAA' });
  expect(wrong).toMatchObject({ ok: false, fingerprint: '' });
  expect(wrong.sentence).toMatch(/code/i);
  expect((await extension.send('getOptionsState', {})).connection.kind).toBe('unpaired');
});

test('a companion that is not running loses nothing: the page waits and is sent when it starts', async () => {
  const { port } = await startPaired();
  await companion?.kill();
  const capture = await keep();
  await expectInPopup('/untitled.html', 'Holdfast is not running on this computer');
  await expectAllBytes(capture);
  companion = await startCompanion({ dataDir, port, args: ['--no-runner'] });
  await extension.send('retryOutbox', {});
  await extension.waitForCapture(sent(capture.id));
});

test('another program on the port hears neither token nor page', async () => {
  const { port } = await startPaired();
  await companion?.kill();
  const fake = { name: companionName, version: '0.1.0', protocol: protocolVersion, protocol_oldest: 1, port };
  const stranger = await startStranger(port, () => ({
    ...fake,
    ui: 'http://x',
    proof: 'ab'.repeat(32),
    unknown_pairing: false,
  }));
  const capture = await keep();
  await expectInPopup('/untitled.html', 'Another program answers at');
  await expectAllBytes(capture);
  expect(stranger.heard.length).toBeGreaterThan(0);
  for (const words of stranger.heard) {
    expect(words).toMatch(new RegExp(`^POST ${routes.hello} `));
    expect(words).not.toMatch(/authorization|bearer|api-key|untitled\.html/i);
  }
  await stranger.stop();
  companion = await startCompanion({ dataDir, port, args: ['--no-runner'] });
  await extension.send('retryOutbox', {});
  await extension.waitForCapture(sent(capture.id));
});

test('a companion of another version is named, and gets nothing', async () => {
  const { port } = await startPaired();
  await companion?.kill();
  const future = { name: companionName, version: '9.9.9', protocol: 99, protocol_oldest: 98, port };
  const stranger = await startStranger(port, () => ({
    ...future,
    ui: 'http://x',
    proof: null,
    unknown_pairing: false,
  }));
  const capture = await keep();
  await expectInPopup('/untitled.html', 'version 9.9.9');
  await expectAllBytes(capture);
  for (const words of stranger.heard) expect(words).not.toMatch(/authorization|untitled\.html/i);
  await stranger.stop();
  companion = await startCompanion({ dataDir, port, args: ['--no-runner'] });
});

test('a pairing that was taken back is said; after pairing anew the page is sent', async () => {
  const { access } = await startPaired();
  for (const pairing of access.pairings()) await access.revokePairing(pairing.id);
  const capture = await keep();
  await expectInPopup('/untitled.html', 'no longer accepts this browser');
  await expectAllBytes(capture);
  const code = await access.newPairingCode();
  expect((await extension.send('pair', { code })).ok).toBe(true);
  await extension.waitForCapture(sent(capture.id));
});

test('a full disk is said and the page is sent when there is room', async ({ skip }) => {
  const disk = mountSmallDisk(256);
  if (!disk) return skip('mounting a small disk is not allowed here');
  onTestFinished(disk.remove);
  await startPaired(path.join(disk.folder, 'data'));
  const free = disk.fill();
  const capture = await keep();
  await expectInPopup('/untitled.html', 'The disk of Holdfast is full');
  await expectAllBytes(capture);
  free();
  await extension.send('retryOutbox', {});
  await extension.waitForCapture(sent(capture.id));
});

test('a page deleted in the library while it was being sent is still here and can be kept again', async () => {
  const running = await startPaired();
  const capture = await keepHalfSent(running);
  const deleted = await running.request(routes.snapshot(capture.snapshotId), { method: 'DELETE' });
  expect(deleted.status).toBe(200);
  await extension.send('retryOutbox', {});
  const stopped = await extension.waitForCapture((one) => one.id === capture.id && one.stage === 'deleted_there');
  await expectInPopup('/heavy.html', 'was deleted in your library');
  await expectAllBytes(stopped);
  await extension.send('sendAsNew', { id: capture.id });
  const again = await extension.waitForCapture(sent(capture.id), 180_000);
  expect(again.snapshotId).not.toBe(capture.snapshotId);
  expect((await running.request(routes.snapshot(again.snapshotId))).json().url).toBe(site.a('/heavy.html'));
});

/** A capture of which the companion knows the snapshot but has not all bytes: its service worker was stopped. */
async function keepHalfSent(running: TestCompanion): Promise<CaptureRecord> {
  const page = await extension.browser.newPage();
  await page.goto(site.a('/heavy.html'));
  await page.bringToFront();
  const worker = await extension.worker();
  await extension.clickToolbar(page);
  const uploads = path.join(running.dataDir, 'uploads');
  const deadline = Date.now() + 300_000;
  while (!fs.existsSync(uploads) || fs.readdirSync(uploads).length === 0) {
    if (Date.now() > deadline) throw new Error('nothing is being sent');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await worker.close();
  const [capture] = await extension.captures();
  if (!capture || capture.stage !== 'waiting' || !capture.announced) throw new Error('the capture is not half sent');
  return capture;
}
