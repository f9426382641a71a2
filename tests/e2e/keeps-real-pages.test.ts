import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser } from 'puppeteer-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireSnapshot } from '../../companion/collection/records/snapshots.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { waitForText } from '../helpers/page-checks.ts';
import { comparePictures, readableText, wholePicture } from '../helpers/page-likeness.ts';
import { launchBrowser } from '../helpers/real-browsers.ts';
import { startSite, type TestSite } from '../helpers/site.ts';

/** Share of pixels that may differ: anti-aliasing, and bars that a tall picture shows once. */
const PIXELS_MAX = 0.002;

interface Kept {
  snapshotId: string;
  url: string;
  title: string;
  text: string[];
  picture: Buffer;
}

const pages = [
  { name: 'an article with lazy pictures', path: '/article.html' },
  { name: 'nested frames of two origins', path: '/frames.html' },
  { name: 'open, closed and nested shadow roots with adopted styles', path: '/shadow.html' },
  { name: 'a page for those who are logged in', path: '/members.html' },
  { name: 'a page of 30 000 pixels', path: '/tall.html' },
  { name: 'a page without a title in other scripts', path: '/untitled.html' },
];

let dataDir: string;
let site: TestSite;
let companion: TestCompanion;
let extension: ExtensionBrowser;
let reader: Browser;
let requestsAfterCaptures = -1;
const kept = new Map<string, Kept>();

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-pages-'));
  site = await startSite();
  companion = await startCompanion({ dataDir });
  extension = await launchWithExtension();
  await extension.pair(companion);
  for (const { path: address } of pages) kept.set(address, await keep(address));
  requestsAfterCaptures = site.requests.length;
  reader = await launchBrowser('chromium');
}, 600_000);

afterAll(async () => {
  await reader?.close();
  await extension?.close();
  await companion?.stop();
  await site?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/** Opens the page as a person does, clicks the toolbar button and waits until it is on the companion's disk. */
async function keep(address: string): Promise<Kept> {
  const page = await extension.browser.newPage();
  if (address === '/members.html') await page.goto(site.a('/login'));
  await page.goto(site.a(address));
  await page.bringToFront();
  await extension.clickToolbar(page);
  const capture = await extension.waitForCapture((one) => one.url === site.a(address) && one.stage === 'sent', 180_000);
  expect(capture.missing).toEqual([]);
  const [text, picture, title] = [await readableText(page), await wholePicture(page), await page.title()];
  await page.close();
  return { snapshotId: capture.snapshotId, url: site.a(address), title, text, picture };
}

function requireKept(address: string): Kept {
  const found = kept.get(address);
  if (!found) throw new Error(`${address} was not kept`);
  return found;
}

test.each(pages)('$name: lies on the disk and in the records as it was sent', async ({ path: address }) => {
  const { snapshotId, url, title } = requireKept(address);
  const row = requireSnapshot(companion.collection.db, snapshotId);
  expect([row.url, row.title ?? '', row.source]).toEqual([url, title, 'browser']);
  const answer = (await companion.request(`${routes.snapshot(snapshotId)}`)).json();
  const results = answer.archiveresults.filter((one: { origin: string }) => one.origin === 'browser');
  expect(results.map((one: { plugin: string; status: string }) => `${one.plugin} ${one.status}`).toSorted()).toEqual([
    'chrome_extension_facts succeeded',
    'chrome_extension_mhtml succeeded',
    'chrome_extension_screenshot succeeded',
    'chrome_extension_singlefile succeeded',
  ]);
  for (const result of results) {
    for (const [file, output] of Object.entries<{ digest: string; size: number }>(result.output_files)) {
      const { body } = await companion.request(routes.resultFile(result.id, file));
      expect([file, body.length, digestOf(body)]).toEqual([file, output.size, output.digest]);
    }
  }
});

test.each(pages)('$name: its folder can be read without any program', async ({ path: address }) => {
  const { snapshotId, url } = requireKept(address);
  const folder = await waitForIndex(snapshotId);
  const lines = fs.readFileSync(path.join(folder, 'index.jsonl'), 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as { url?: string }).some((line) => line.url === url)).toBe(true);
  for (const file of ['singlefile.html', 'snapshot.mhtml', 'screenshot.png', 'facts.json']) {
    expect(
      findFiles(folder).some((one) => path.basename(one) === file),
      file,
    ).toBe(true);
  }
  for (const line of fs.readFileSync(path.join(folder, 'manifest-sha256.txt'), 'utf8').trim().split('\n')) {
    const [, hex, file] = /^([0-9a-f]{64})  (.+)$/.exec(line) ?? [];
    expect(digestOf(fs.readFileSync(path.join(folder, file ?? '')))).toBe(`sha256:${hex}`);
  }
});

test.each(pages)('$name: the copy reads and looks like the page, with the site gone', async ({ path: address }) => {
  const { snapshotId, text, picture } = requireKept(address);
  const replay = (await companion.request(routes.replayAddress(snapshotId))).json();
  const copy = replay.outputs.find((one: { path: string }) => one.path === 'singlefile.html');
  const page = await reader.newPage();
  const [width = 0, height = 0] = pictureSize(picture);
  await page.setViewport({ width, height: Math.min(height, 713) });
  await page.goto(copy.url);
  expect(await readableText(page)).toEqual(text);
  const likeness = comparePictures(picture, await wholePicture(page));
  expect(likeness.sizes[1]).toEqual(likeness.sizes[0]);
  expect(likeness.differing).toBeLessThan(PIXELS_MAX);
  await page.close();
  expect(site.requests.length).toBe(requestsAfterCaptures);
});

test.each(pages)('$name: the picture taken by the extension shows the whole page', async ({ path: address }) => {
  const { snapshotId, picture } = requireKept(address);
  const replay = (await companion.request(routes.replayAddress(snapshotId))).json();
  const taken = replay.outputs.find((one: { path: string }) => one.path === 'screenshot.png');
  const { body } = await companion.request(taken.download_url);
  const likeness = comparePictures(picture, body);
  expect(likeness.sizes[1]).toEqual(likeness.sizes[0]);
  expect(likeness.differing).toBeLessThan(PIXELS_MAX);
});

test('the library lists what was kept and opens it', async () => {
  const page = await reader.newPage();
  await page.goto(companion.loginLink);
  await waitForText(page, 'What the night has brought');
  const { snapshotId, title } = requireKept('/frames.html');
  await page.goto(`http://holdfast.localhost:${companion.port}/snapshot/${snapshotId}`);
  await waitForText(page, title);
  await page.close();
});

async function waitForIndex(snapshotId: string): Promise<string> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const row = (await companion.request(routes.snapshot(snapshotId))).json() as {
      archive_path: string;
      status: string;
    };
    const folder = path.join(dataDir, row.archive_path);
    if (row.status === 'sealed' && fs.existsSync(path.join(folder, 'manifest-sha256.txt'))) return folder;
    if (Date.now() > deadline)
      throw new Error(`${snapshotId} is ${row.status} and has no complete folder at ${folder}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

function findFiles(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

function digestOf(bytes: Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function pictureSize(png: Buffer): [number, number] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
