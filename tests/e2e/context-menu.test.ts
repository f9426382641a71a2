import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'puppeteer-core';
import type { SnapshotRecord } from '../../shared/model/api-records.ts';
import { routes } from '../../shared/protocol/routes.ts';
import type { TestCompanion } from '../helpers/companion.ts';
import type { ExtensionBrowser } from '../helpers/extension-browser.ts';
import { mainColors } from '../helpers/page-likeness.ts';
import { startOutfit, type Outfit } from '../helpers/outfit.ts';
import type { TestSite } from '../helpers/site.ts';
import { waitUntil } from '../helpers/wait-until.ts';

const secret = 'The heron nests behind the third lock gate.';

let outfit: Outfit;
let site: TestSite;
let companion: TestCompanion;
let extension: ExtensionBrowser;
let front: Page;

beforeAll(async () => {
  outfit = await startOutfit({ env: { EGRESS_ALLOW: '*.localhost' } });
  ({ site, companion, extension } = outfit);
  front = await extension.browser.newPage();
  await front.goto(site.a('/login'));
  await front.goto(site.a('/links.html'));
  await front.bringToFront();
}, 240_000);

afterAll(() => outfit?.stop());

async function sealed(url: string, source: string): Promise<SnapshotRecord> {
  return waitUntil(`${url} is sealed`, async () => {
    const answer = await companion.request(`${routes.snapshots}?with_archiveresults=true`);
    const { items } = answer.json() as { items: SnapshotRecord[] };
    return items.find((item) => item.url === url && item.source === source && item.status === 'sealed');
  });
}

function resultOf(snapshot: SnapshotRecord, plugin: string) {
  return snapshot.archiveresults.find((one) => one.plugin === plugin);
}

function readFile(snapshot: SnapshotRecord, file: string): Buffer {
  return fs.readFileSync(path.join(companion.dataDir, snapshot.archive_path, file));
}

/** Asked of the targets: a page that is just being made has no address yet. */
function openTabs(): string[] {
  const pages = extension.browser.targets().filter((target) => target.type() === 'page');
  return pages.map((target) => target.url()).toSorted();
}

test('"Save page" keeps the page in front', async () => {
  await extension.clickMenu('save-page', {}, site.a('/links.html'));
  const capture = await extension.waitForCapture((one) => one.url === site.a('/links.html') && one.stage === 'sent');
  expect(capture.missing).toEqual([]);
  const snapshot = await sealed(site.a('/links.html'), 'browser');
  expect(readFile(snapshot, 'chrome_extension_singlefile/singlefile.html').toString()).toContain(
    'Doors along the quay',
  );
  for (const plugin of ['singlefile', 'mhtml', 'screenshot', 'facts']) {
    expect([plugin, resultOf(snapshot, `chrome_extension_${plugin}`)?.status]).toEqual([plugin, 'succeeded']);
  }
});

test('the keyboard command keeps the page in front once more', async () => {
  const before = (await extension.captures()).map((one) => one.id);
  await extension.pressShortcut(site.a('/links.html'));
  const capture = await extension.waitForCapture((one) => !before.includes(one.id) && one.stage === 'sent');
  expect([capture.url, capture.missing]).toEqual([site.a('/links.html'), []]);
});

test('"Save link" keeps what the logged-in person would see, in a tab that nobody has to look at', async () => {
  const tabs = openTabs();
  const hidden = await front.evaluate('timesHidden');
  await extension.clickMenu('save-link', { linkUrl: site.a('/members.html') }, site.a('/links.html'));
  const capture = await extension.waitForCapture((one) => one.url === site.a('/members.html') && one.stage === 'sent');
  const picture = capture.witnesses.find((witness) => witness.kind === 'screenshot');
  expect(picture).toMatchObject({
    outcome: 'skipped',
    note: expect.stringContaining('draws the picture from the kept copy'),
  });
  expect(openTabs()).toEqual(tabs);
  expect([await front.evaluate('timesHidden'), await front.evaluate('document.visibilityState')]).toEqual([
    hidden,
    'visible',
  ]);

  const snapshot = await sealed(site.a('/members.html'), 'browser');
  expect(readFile(snapshot, 'chrome_extension_singlefile/singlefile.html').toString()).toContain(secret);
  expect(readFile(snapshot, 'chrome_extension_mhtml/snapshot.mhtml').toString()).toContain('The heron nests');
  expect(resultOf(snapshot, 'chrome_extension_screenshot')?.status).toBe('skipped');
  expect(resultOf(snapshot, 'screenshot')).toMatchObject({
    status: 'succeeded',
    origin: 'derived',
    output_str: expect.stringContaining('picture rendered by the companion from the copy'),
  });
  // Words in black on white: it is a picture of the page, not an empty one.
  const colors = mainColors(readFile(snapshot, 'screenshot/screenshot.png'));
  expect(colors.get('ffffff') ?? 0).toBeGreaterThan(0.5);
  expect(colors.get('000000') ?? 0).toBeGreaterThan(0.001);
});

test('"Save link on the companion" has it fetched there, logged out', async () => {
  const tabs = openTabs();
  await extension.clickMenu('save-link-on-companion', { linkUrl: site.a('/members.html') }, site.a('/links.html'));
  const snapshot = await sealed(site.a('/members.html'), 'companion');
  expect(openTabs()).toEqual(tabs);
  const html = readFile(snapshot, 'singlefile/singlefile.html').toString();
  expect(html).toContain('This page is for members only.');
  expect(html).not.toContain(secret);
  expect(resultOf(snapshot, 'screenshot')).toMatchObject({ status: 'succeeded', output_str: 'screenshot.png' });
});

test('a link behind which nobody answers stays visible as failed, and its tab is closed', async () => {
  const tabs = openTabs();
  const url = 'http://a.localhost:9/';
  await extension.clickMenu('save-link', { linkUrl: url }, site.a('/links.html'));
  await extension.waitForCapture((one) => one.url === url && one.stage === 'empty');
  const { waiting } = await extension.send('getOutboxState', {});
  expect(waiting.map(({ url: kept, sentence }) => [kept, sentence])).toEqual([
    [url, 'Nothing of this page could be kept. The page did not open, or the browser lets no extension look into it.'],
  ]);
  await waitUntil('the tab is closed', async () => (openTabs().length === tabs.length ? true : undefined));
});

test('a link into the library is not kept, and a notification says so', async () => {
  const tabs = openTabs();
  const linkUrl = `http://holdfast.localhost:${companion.port}/`;
  await extension.clickMenu('save-link', { linkUrl }, site.a('/links.html'));
  await waitUntil('a notification', async () => ((await extension.notifications()).length > 0 ? true : undefined));
  expect(openTabs()).toEqual(tabs);
  expect((await extension.captures()).some((one) => one.url === linkUrl)).toBe(false);
});
