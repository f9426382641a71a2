import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { findCrawl } from '../../companion/collection/records/crawls.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { routes } from '../../shared/protocol/routes.ts';
import type { ArchiveResultRecord } from '../../shared/model/api-records.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { waitForText } from '../helpers/page-checks.ts';
import { launchBrowser } from '../helpers/real-browsers.ts';

/** For what happens in another process. */
const patience = { timeout: 30_000 };
const plugin = 'chrome_extension_singlefile';
const octets = { 'content-type': 'application/octet-stream' };

let dataDir: string;
let companion: TestCompanion;
let browser: Browser;
let page: Page;
let id: string;
beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-details-'));
  companion = await startCompanion({ dataDir });
  id = await keepFromBrowser('<!doctype html><title>Bladder wrack</title><p>It floats by its bladders.</p>');
  browser = await launchBrowser('chromium');
  page = await browser.newPage();
  await page.goto(`${origin()}/login#${await companion.access.newLoginCode()}`);
  await waitForText(page, 'Bladder wrack');
  await page.evaluate(() => localStorage.setItem('holdfast.details', 'true'));
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await companion?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  page = await browser.newPage();
});
afterEach(() => page.close());

const origin = () => `http://holdfast.localhost:${companion.port}`;

/** Sends one capture as the extension does; the runner makes the rest of it. Resolves with the snapshot when sealed. */
async function keepFromBrowser(html: string): Promise<string> {
  const send = async (method: string, target: string, body: unknown) =>
    (await companion.request(target, { method, body: JSON.stringify(body) })).json();
  const wanted = { url: 'https://wrack.example/', source: 'browser', expected_captures: [plugin] };
  const snapshot = await send('POST', routes.snapshots, wanted);
  const hookName = 'on_Snapshot__archivebox_browser_extension_upload';
  const facts = { snapshot_id: snapshot.id, plugin, hook_name: hookName, status: 'started' };
  const result = await send('POST', routes.results, facts);
  const target = `${routes.result(result.id)}?path=singlefile.html&offset=0&total=${Buffer.byteLength(html)}&status=succeeded`;
  const sent = await companion.request(target, { method: 'PATCH', headers: octets, body: html });
  expect(sent.status).toBe(200);
  await vi.waitFor(() => expect(findSnapshot(companion.collection.db, snapshot.id)?.status).toBe('sealed'), patience);
  return snapshot.id;
}

async function resultOf(name: string): Promise<ArchiveResultRecord> {
  const { archiveresults } = (await companion.request(`${routes.snapshot(id)}?with_archiveresults=true`)).json();
  return archiveresults.find((result: ArchiveResultRecord) => result.plugin === name);
}

/** Opens the details with the result's own part unfolded. */
async function openResult(name: string): Promise<void> {
  await page.goto(`${origin()}/snapshot/${id}`);
  await page.waitForSelector('.details .result');
  await page.evaluate((label) => {
    for (const fold of document.querySelectorAll('details.rest')) (fold as HTMLDetailsElement).open = true;
    const card = [...document.querySelectorAll('.result')].find((it) => it.textContent?.includes(label));
    card!.querySelector('details')!.open = true;
  }, name);
}

test('a plugin runs once more when the reader asks, and its log can be read', async () => {
  const before = await resultOf('htmltotext');
  expect(before.status).toBe('succeeded');
  await openResult('htmltotext');
  await page.click('[aria-label="Run again: Plain text"]');
  await expect.poll(async () => (await resultOf('htmltotext')).revision, patience).toBeGreaterThan(before.revision);
  await expect.poll(async () => (await resultOf('htmltotext')).status, patience).toBe('succeeded');
  await openResult('htmltotext');
  await page.click('.result details[open] .log summary');
  await waitForText(page, 'Ended with exit code 0.');
  // What the browser sent cannot be run again here.
  expect(await page.$('[aria-label="Run again: The page as you saw it"]')).toBeNull();
});

test('who can see a copy is chosen where it stands', async () => {
  await page.goto(`${origin()}/snapshot/${id}`);
  await page.waitForSelector('#permission');
  expect(await page.$eval('#permission', (field) => (field as HTMLSelectElement).value)).toBe('private');
  await page.select('#permission', 'unlisted');
  await expect.poll(() => findSnapshot(companion.collection.db, id)?.permissions, patience).toBe('unlisted');
  const { host } = (await companion.request(routes.replayAddress(id))).json();
  expect(host).toBe(`${id.replaceAll('-', '')}.localhost:${companion.port}`);
  await page.select('#permission', 'private');
  await expect.poll(() => findSnapshot(companion.collection.db, id)?.permissions, patience).toBe('private');
});

test('a crawl is paused, resumed and stopped from its list', async () => {
  const urls = ['https://one.invalid/', 'https://two.invalid/'];
  const answer = await companion.request(routes.cliAdd, { method: 'POST', body: JSON.stringify({ urls }) });
  const crawlId: string = answer.json().result.crawl_id;
  const press = async (name: string): Promise<void> =>
    (await page.waitForSelector(`.crawl-line ::-p-text(${name})`))!.click();
  const crawl = () => findCrawl(companion.collection.db, crawlId);
  await page.goto(`${origin()}/?crawl=${crawlId}`);
  await waitForText(page, 'one.invalid and 1 more');
  await press('Pause');
  await expect.poll(() => crawl()?.status, patience).toBe('paused');
  await waitForText(page, 'goes on where it stopped');
  await press('Go on');
  await expect.poll(() => crawl()?.status, patience).not.toBe('paused');
  await press('Stop here');
  await waitForText(page, 'Stopped by you. What was kept stays.');
  expect(crawl()).toMatchObject({ status: 'sealed', stop_reason: 'cancelled' });
});

test('a file of addresses is read, counted and kept; a file without any is answered in one sentence', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-import-'));
  const file = (name: string, bytes: string): string => {
    fs.writeFileSync(path.join(folder, name), bytes);
    return path.join(folder, name);
  };
  await page.goto(`${origin()}/`);
  await waitForText(page, 'Bladder wrack');
  await page.click('[aria-controls="add-panel"]');
  const chooser = (await page.$('#add-panel input[type=file]'))!;
  const answer = async (): Promise<string> =>
    page.$eval('#add-panel .ways > :last-child .answer', (it) => it.textContent);
  for (const [name, bytes, sentence] of [
    ['prose.txt', 'no link here', 'No address was found in prose.txt. Addresses begin with http:// or https://.'],
    ['empty.txt', '', 'empty.txt is empty.'],
    ['picture.txt', 'PNG\0\0http://a.invalid/', 'picture.txt was not read. This is no text; choose a file of'],
  ] as const) {
    await chooser.uploadFile(file(name, bytes));
    await expect.poll(answer, patience).toContain(sentence);
  }
  const text = `See https://import-a.invalid/x, https://import-b.invalid/ and http://127.0.0.1:${companion.port}/.`;
  await chooser.uploadFile(file('links.md', text));
  await expect.poll(answer, patience).toContain('2 addresses found in links.md.');
  expect(await answer()).toContain('1 other cannot be kept:');
  await page.evaluate(() => document.querySelector<HTMLElement>('#add-panel .ways > :last-child button')!.click());
  await expect.poll(answer, patience).toContain('2 pages will be kept.');
  const [crawl] = (await companion.request(routes.crawls)).json() as [{ urls: string }];
  expect(crawl.urls).toBe('https://import-a.invalid/x\nhttps://import-b.invalid/\n');
  fs.rmSync(folder, { recursive: true });
});

test('both sides of a pairing show the same fingerprint', async () => {
  const code = await companion.access.newPairingCode();
  const { fingerprint } = await companion.access.pair(code, 'Reading browser', '');
  await page.goto(`${origin()}/pairing`);
  await waitForText(page, fingerprint);
});
