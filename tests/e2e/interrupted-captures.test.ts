import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Page } from 'puppeteer-core';
import { NO_TAB } from '../../extension/outbox/capture-record.ts';
import type { CaptureRecord, WitnessRecord } from '../../extension/outbox/capture-record.ts';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { startSite, type TestSite } from '../helpers/site.ts';
import { waitUntil } from '../helpers/wait-until.ts';

/** The browser stops the service worker in the middle of taking a page; nothing has been sent yet. */
const INTERRUPTED = 'Interrupted: the browser stopped before this was taken.';

let site: TestSite;
let extension: ExtensionBrowser;

beforeEach(async () => {
  site = await startSite();
  extension = await launchWithExtension();
}, 240_000);

afterEach(async () => {
  await extension?.close();
  await site?.stop();
});

function keptKinds(record: CaptureRecord): string[] {
  return record.witnesses.filter((witness) => witness.outcome === 'kept').map((witness) => witness.kind);
}

function witnessOf(record: CaptureRecord, kind: string): WitnessRecord {
  return record.witnesses.find((witness) => witness.kind === kind)!;
}

async function openPage(address: string): Promise<Page> {
  const page = await extension.browser.newPage();
  await page.goto(site.a(address));
  await page.bringToFront();
  return page;
}

/** Clicks, and stops the service worker when so many witnesses are complete, `then` has come, and others are not. */
async function keepUntil(page: Page, complete: number, then?: () => Promise<unknown>): Promise<CaptureRecord> {
  const worker = await extension.worker();
  await extension.clickToolbar(page);
  await extension.waitForCapture((one) => one.stage === 'capturing' && keptKinds(one).length >= complete);
  await waitUntil('the browser will wake the extension', async () => (await extension.alarms())[0]);
  await then?.();
  await worker.close();
  const [record] = await extension.captures();
  if (record?.stage !== 'capturing') throw new Error('the capture was over before the service worker was stopped');
  return record;
}

/** Asked of the targets: a page that is just being made has no address yet. */
const tabAddresses = (): string[] =>
  extension.browser
    .targets()
    .filter((target) => target.type() === 'page')
    .map((target) => target.url());

async function over(id: string): Promise<CaptureRecord> {
  return extension.waitForCapture((one) => one.id === id && one.stage !== 'capturing', 120_000);
}

test('a capture is finished from the tab when the browser wakes the extension by itself', async () => {
  const page = await openPage('/slow-to-keep.html');
  const { id } = await keepUntil(page, 0);
  // Nobody clicks, no page of ours asks: only the alarm is left.
  const capture = await over(id);
  expect([capture.stage, capture.missing]).toEqual(['waiting', []]);
  expect(keptKinds(capture).toSorted()).toEqual(['dom', 'facts', 'mhtml', 'screenshot']);
  expect((await extension.readFile(id, 'singlefile.html')).toString()).toContain('The last line of a long page.');
  expect(await extension.captures()).toHaveLength(1);
}, 200_000);

test('what was complete is not taken again, the rest comes from the same document, which is left as it was', async () => {
  const page = await openPage('/slow-to-keep.html');
  const looks = () => page.evaluate(() => document.documentElement.outerHTML);
  const before = await looks();
  const canvasIsPinned = () => page.waitForFunction(() => document.querySelector('canvas')?.style.width !== '');
  const cut = await keepUntil(page, 1, canvasIsPinned);
  const archive = witnessOf(cut, 'mhtml').files;
  expect(archive).toHaveLength(1);
  // A click in this moment joins what is going on with the page.
  const { captureId } = await extension.send('keepTab', { tabId: await extension.tabId(page.url()) });
  expect(captureId).toBe(cut.id);
  const capture = await over(cut.id);
  expect([capture.stage, capture.missing]).toEqual(['waiting', []]);
  expect(witnessOf(capture, 'mhtml').files).toEqual(archive);
  expect(keptKinds(capture).toSorted()).toEqual(['dom', 'facts', 'mhtml', 'screenshot']);
  const facts = JSON.parse((await extension.readFile(cut.id, 'facts.json')).toString());
  expect(facts.witnesses.mhtml).toMatchObject({ outcome: 'kept' });
  expect(await looks()).toBe(before);
});

test('when the tab went to another page what is complete is kept, and the rest is said to be interrupted', async () => {
  const page = await openPage('/slow-to-keep.html');
  const { id } = await keepUntil(page, 2);
  await page.goto(site.b('/red.html'));
  await extension.send('getOutboxState', {});
  const capture = await over(id);
  expect([capture.stage, capture.url]).toEqual(['waiting', site.a('/slow-to-keep.html')]);
  expect(keptKinds(capture).toSorted()).toEqual(['dom', 'mhtml']);
  for (const kind of ['screenshot', 'facts']) {
    expect(witnessOf(capture, kind)).toMatchObject({ outcome: 'failed', note: INTERRUPTED, files: [] });
  }
  for (const file of capture.witnesses.flatMap((witness) => witness.files)) {
    expect([file.path, (await extension.readFile(id, file.path)).length]).toEqual([file.path, file.bytes]);
  }
});

test('when nothing was complete and the tab is closed the page stays visible as failed, until it is discarded', async () => {
  const page = await openPage('/slow-to-keep.html');
  const { id } = await keepUntil(page, 0);
  await page.close();
  await extension.send('getOutboxState', {});
  expect((await over(id)).stage).toBe('empty');
  const { waiting } = await extension.send('getOutboxState', {});
  expect(waiting).toMatchObject([{ id, sentence: `Nothing of this page could be kept. ${INTERRUPTED}` }]);
  await extension.send('discardCapture', { id });
  expect(await extension.captures()).toEqual([]);
});

test('a link that was being kept behind the others is finished there, without a picture, and its tab closed', async () => {
  await openPage('/links.html');
  const url = site.b('/slow-to-keep.html');
  const worker = await extension.worker();
  await extension.clickMenu('save-link', { linkUrl: url }, site.a('/links.html'));
  await extension.waitForCapture((one) => one.url === url && keptKinds(one).length === 1);
  await worker.close();
  await extension.send('getOutboxState', {});
  const capture = await extension.waitForCapture((one) => one.url === url && one.stage === 'waiting', 120_000);
  expect(witnessOf(capture, 'dom').outcome).toBe('kept');
  expect(witnessOf(capture, 'screenshot').outcome).toBe('skipped');
  await waitUntil('the tab is closed', async () => (tabAddresses().includes(url) ? undefined : true));
});

/** Chooses "Save link", and stops the service worker while the page of the link is still loading. */
async function saveLinkUntilAsked(url: string): Promise<CaptureRecord> {
  await openPage('/links.html');
  const worker = await extension.worker();
  await extension.clickMenu('save-link', { linkUrl: url }, site.a('/links.html'));
  const record = await extension.waitForCapture((one) => one.url === url && one.tabId !== NO_TAB);
  await waitUntil('the site is asked', () => (site.requests.includes('b.localhost /held.html') ? true : undefined));
  expect(record.stage).toBe('capturing');
  await worker.close();
  return record;
}

test('a link that was still loading when the browser stopped the extension is kept when its page has come', async () => {
  const url = site.b('/held.html');
  const { id } = await saveLinkUntilAsked(url);
  // The extension is awake again before there is a page.
  expect((await extension.send('getOutboxState', {})).waiting).toMatchObject([{ id, phase: 'capturing' }]);
  site.release();
  const capture = await over(id);
  expect([capture.stage, capture.title, keptKinds(capture).toSorted()]).toEqual([
    'waiting',
    'Held',
    ['dom', 'facts', 'mhtml'],
  ]);
  expect((await extension.readFile(id, 'singlefile.html')).toString()).toContain('The answer came at last.');
  await waitUntil('the tab is closed', async () => (tabAddresses().includes(url) ? undefined : true));
  expect(await extension.captures()).toHaveLength(1);
});

test('a link whose tab a person closed meanwhile stays visible as failed', async () => {
  const url = site.b('/held.html');
  const { id } = await saveLinkUntilAsked(url);
  await extension.closeTab((await extension.captures())[0]!.tabId);
  await extension.send('getOutboxState', {});
  expect((await over(id)).stage).toBe('empty');
  expect((await extension.send('getOutboxState', {})).waiting).toMatchObject([
    {
      id,
      url,
      sentence: 'Nothing of this page could be kept. Interrupted: its tab was closed before the page was loaded.',
    },
  ]);
});

test('a link that is discarded while it loads is gone at once, and its tab with it', async () => {
  const url = site.b('/held.html');
  await openPage('/links.html');
  const tabs = tabAddresses().length;
  await extension.clickMenu('save-link', { linkUrl: url }, site.a('/links.html'));
  const { id } = await extension.waitForCapture((one) => one.url === url && one.tabId !== NO_TAB);
  await extension.send('discardCapture', { id });
  expect(await extension.captures()).toEqual([]);
  await waitUntil('the tab is closed', async () => {
    return tabAddresses().length === tabs ? true : undefined;
  });
});
