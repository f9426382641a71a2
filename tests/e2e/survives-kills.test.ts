import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaptureRecord } from '../../extension/outbox/capture-record.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { startSite, type TestSite } from '../helpers/site.ts';

const MIB = 1024 * 1024;

let dataDir: string;
let userDataDir: string;
let site: TestSite;
let companion: TestCompanion;
let extension: ExtensionBrowser;

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-kills-'));
  userDataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-profile-'));
  site = await startSite();
  companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  extension = await launchWithExtension({ userDataDir });
  await extension.pair(companion);
}, 240_000);

afterAll(async () => {
  await extension?.close();
  await companion?.stop();
  await site?.stop();
  for (const folder of [dataDir, userDataDir]) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Synced bytes of the part that is arriving now, as the companion itself has written them down. */
function receivedBytes(): number {
  const folder = path.join(dataDir, 'uploads');
  const parts = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  return Math.max(0, ...parts.map((part) => readReceived(path.join(folder, part, 'upload.json'))));
}

function readReceived(file: string): number {
  try {
    const record = JSON.parse(fs.readFileSync(file, 'utf8')) as { chunked: { received: number } | null };
    return record.chunked?.received ?? 0;
  } catch {
    // Being made, replaced or removed just now.
    return 0;
  }
}

/** Bytes of the capture that are recorded or synced: what must never become less. */
async function arrivedBytes(): Promise<number> {
  const [record] = await extension.captures();
  const confirmed = (record?.witnesses ?? []).flatMap((witness) => witness.files).filter((file) => file.confirmed);
  return confirmed.reduce((sum, file) => sum + file.bytes, 0) + receivedBytes();
}

async function untilReceived(bytes: number): Promise<void> {
  const deadline = Date.now() + 300_000;
  while (receivedBytes() < bytes) {
    if (Date.now() > deadline) throw new Error(`only ${receivedBytes()} of ${bytes} bytes arrived`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

test('an upload of 100 MB outlives service worker, companion and browser, without starting over', async () => {
  const url = site.a('/heavy.html');
  const page = await extension.browser.newPage();
  await page.goto(url);
  await page.bringToFront();
  await extension.clickToolbar(page);
  const isHeavy = (one: CaptureRecord) => one.url === url;
  await untilReceived(16 * MIB);

  const worker = await extension.worker();
  await worker.close();
  const afterWorker = receivedBytes();
  expect(afterWorker).toBeGreaterThanOrEqual(16 * MIB);
  // Any event starts it again; a page of the extension that looks at the state is one.
  await extension.send('getOutboxState', {});
  await untilReceived(afterWorker + 8 * MIB);

  await companion.kill();
  const beforeCompanion = receivedBytes();
  companion = await startCompanion({ dataDir, port: companion.port, args: ['--no-runner'] });
  expect(receivedBytes()).toBe(beforeCompanion);
  await extension.send('retryOutbox', {}).catch(() => undefined);
  const record = await extension.waitForCapture(isHeavy, 1_000);
  expect(record.stage).toBe('waiting');

  const beforeBrowser = await arrivedBytes();
  await extension.close();
  extension = await launchWithExtension({ userDataDir });
  await extension.send('getOutboxState', {});
  expect(await arrivedBytes()).toBeGreaterThanOrEqual(beforeBrowser);
  const sent = await extension.waitForCapture((one) => isHeavy(one) && one.stage === 'sent', 240_000);

  expect(sent.missing).toEqual([]);
  const files = sent.witnesses.flatMap((witness) => witness.files);
  expect(files.reduce((sum, file) => sum + file.bytes, 0)).toBeGreaterThan(100 * 1_000_000);
  const { items } = (await companion.request(`${routes.snapshots}?with_archiveresults=true`)).json();
  expect(items).toHaveLength(1);
  const outputs = Object.assign(
    {},
    ...items[0].archiveresults.map((one: { output_files: object }) => one.output_files),
  );
  for (const file of files) expect([file.path, outputs[file.path]?.digest]).toEqual([file.path, file.digest]);
  expect(fs.readdirSync(path.join(dataDir, 'uploads'))).toEqual([]);
  for (const file of files) expect(await extension.readFile(sent.id, file.path)).toHaveLength(0);
}, 600_000);
