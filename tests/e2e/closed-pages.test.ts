import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'puppeteer-core';
import type { SnapshotRecord } from '../../shared/model/api-records.ts';
import { routes } from '../../shared/protocol/routes.ts';
import type { TestCompanion } from '../helpers/companion.ts';
import type { ExtensionBrowser } from '../helpers/extension-browser.ts';
import { waitForText } from '../helpers/page-checks.ts';
import { startOutfit, type Outfit } from '../helpers/outfit.ts';
import type { TestSite } from '../helpers/site.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** Pages into which the browser lets no extension look, and those that are not kept on purpose. */
const LABEL = 'The browser lets no extension look into this page: only its visible part was kept, as a picture.';

let outfit: Outfit;
let dataDir: string;
let site: TestSite;
let companion: TestCompanion;
let extension: ExtensionBrowser;

beforeAll(async () => {
  outfit = await startOutfit();
  ({ dataDir, site, companion, extension } = outfit);
}, 240_000);

afterAll(() => outfit?.stop());

async function open(url: string): Promise<Page> {
  const page = await extension.browser.newPage();
  // An error page is a page too.
  await page.goto(url).catch(() => undefined);
  await page.bringToFront();
  return page;
}

async function popupOf(url: string): Promise<Page> {
  return extension.openPage(`popup.html?tab=${await extension.tabId(url)}`);
}

async function sealed(url: string): Promise<SnapshotRecord> {
  return waitUntil(`${url} is sealed`, async () => {
    const answer = await companion.request(`${routes.snapshots}?with_archiveresults=true`);
    const { items } = answer.json() as { items: SnapshotRecord[] };
    return items.find((item) => item.url === url && item.status === 'sealed');
  });
}

test('of an error page the visible part is kept as a picture, and it says so', async () => {
  const url = 'http://a.localhost:9/';
  const page = await open(url);
  await extension.clickToolbar(page);
  const capture = await extension.waitForCapture((one) => one.url === url && one.stage === 'sent');
  expect(capture.missing).toEqual([LABEL]);
  expect(capture.thumbnail).toMatch(/^data:image/);
  const popup = await popupOf(url);
  await waitForText(popup, 'The browser lets no extension look into this page.');
  await waitForText(popup, 'Kept on disk. 2 captures');
  await popup.close();
  const snapshot = await sealed(url);
  const kept = snapshot.archiveresults.filter((one) => one.origin === 'browser');
  expect(kept.map((one) => `${one.plugin} ${one.status}`).toSorted()).toEqual([
    'chrome_extension_facts succeeded',
    'chrome_extension_screenshot succeeded',
  ]);
  for (const result of snapshot.archiveresults) expect(result.origin, result.plugin).not.toBe('fetched');
  expect((await extension.send('getOutboxState', {})).waiting).toEqual([]);
  await page.close();
});

test.each(['chrome://version/', 'view-source:{site}/untitled.html'])(
  'of %s nothing is kept, because the browser does not tell what it is, and it says so',
  async (address) => {
    const before = (await extension.captures()).length;
    const page = await open(address.replace('{site}', site.a('')));
    await extension.clickToolbar(page);
    const target = await extension.browser.waitForTarget((one) => one.url().endsWith('/popup.html'));
    const popup = await target.asPage();
    await waitForText(
      popup,
      'This page belongs to the browser, which does not tell its address, so it cannot be kept.',
    );
    expect(await popup.evaluate(() => document.body.innerText)).not.toContain('Keep this page');
    expect(await extension.captures()).toHaveLength(before);
    await popup.close();
    await page.close();
  },
);

test('a file that a person lets the extension read is kept as it was shown', async () => {
  const file = path.join(dataDir, 'letter.html');
  fs.writeFileSync(file, '<!doctype html><title>A letter</title><p>Written on this computer.</p>');
  const url = pathToFileURL(file).href;
  await extension.clickToolbar(await open(url));
  await extension.waitForCapture((one) => one.url === url && one.stage === 'sent');
  fs.writeFileSync(file, '<!doctype html><p>Written anew.</p>');
  const snapshot = await sealed(url);
  expect(snapshot.archiveresults.find((one) => one.plugin === 'pdf')).toMatchObject({ status: 'succeeded' });
  const read = (output: string) => fs.readFileSync(path.join(dataDir, snapshot.archive_path, output), 'utf8');
  expect(read('htmltotext/htmltotext.txt')).toContain('Written on this computer.');
  for (const result of snapshot.archiveresults) expect(result.origin, result.plugin).not.toBe('fetched');

  const asked = await companion.request(`${routes.base}/core/snapshot/${snapshot.id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'fetch' }),
  });
  expect([asked.status, asked.json()]).toMatchObject([
    400,
    { detail: `Only your browser can see ${url}, so Holdfast cannot fetch it itself.` },
  ]);
  // Whoever asks for the steps by name gets no further.
  const named = await companion.request(`${routes.base}/core/snapshot/${snapshot.id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ retry_plugins: ['dom'] }),
  });
  expect(named.status).toBe(200);
  const dom = await waitUntil('dom is answered', async () =>
    (await sealed(url)).archiveresults.find((one) => one.plugin === 'dom' && one.output_str.includes('only your')),
  );
  expect(dom).toMatchObject({ status: 'skipped', output_str: 'only your browser can see this page' });
});

test('a shown PDF is kept as its own bytes', async () => {
  const url = site.a('/paper.pdf');
  await extension.clickToolbar(await open(url));
  const capture = await extension.waitForCapture((one) => one.url === url && one.stage === 'sent');
  const file = capture.witnesses.find((witness) => witness.kind === 'file');
  expect(file).toMatchObject({ outcome: 'kept', note: 'The tab shows a file: its own bytes were kept.' });
  const folder = path.join(dataDir, (await sealed(url)).archive_path);
  expect(fs.readFileSync(path.join(folder, 'staticfile/document.pdf'), 'latin1')).toContain('Tide tables 1889');
});

test.each(['http://holdfast.localhost:{port}/', 'chrome-extension://ofggjbfdkbapbihmgfppmpbgcakgggkl/options.html'])(
  '%s is Holdfast itself: a click says so and keeps nothing',
  async (address) => {
    const url = address.replace('{port}', String(companion.port));
    const before = (await extension.captures()).length;
    const page = await open(url);
    const tabId = await extension.tabId(url);
    const answer = await extension.send('keepTab', { tabId });
    const sentence = 'This page is part of Holdfast itself, which it does not keep.';
    expect(answer).toEqual({ ok: false, sentence, captureId: null });
    const popup = await extension.openPage(`popup.html?tab=${tabId}`);
    await waitForText(popup, sentence);
    const text = await popup.evaluate(() => document.body.innerText);
    expect(text.split(sentence)).toHaveLength(2);
    expect(text).not.toContain('Keep this page');
    expect(await extension.captures()).toHaveLength(before);
    await popup.close();
    await page.close();
  },
);
