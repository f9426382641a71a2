import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { seriousViolations } from '../helpers/axe.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { keepHtml } from '../helpers/kept-html.ts';
import { keepPage } from '../helpers/kept-pages.ts';
import { namelessControls, pageShape, waitForText, weakTexts } from '../helpers/page-checks.ts';
import { launchBrowser } from '../helpers/real-browsers.ts';

const hostileTitle = '<img src=x onerror="document.title=1"> & "friends"';
const kelpText = 'The giant kelp holds to rock by a holdfast that neither feeds nor drinks.';
const kelpUrl = 'https://kelp.example/forest';

/** For what happens in another process. */
const patience = { timeout: 15_000 };

let dataDir: string;
let companion: TestCompanion;
let browser: Browser;
let context: BrowserContext;
let page: Page;
let kelpId: string;
let complaints: string[];

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-library-'));
  companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  const hour = 3_600_000;
  for (let index = 0; index < 55; index += 1) {
    await keepPage(companion.collection, {
      title: `Old page ${index}`,
      bookmarkedAt: Date.now() - (100 + index) * hour,
    });
  }
  await keepPage(companion.collection, {
    title: hostileTitle,
    tags: ['<b>loud</b>'],
    bookmarkedAt: Date.now() - 3 * hour,
  });
  kelpId = await keepPage(companion.collection, {
    url: kelpUrl,
    title: 'Kelp forests',
    text: kelpText,
    tags: ['reading'],
    bookmarkedAt: Date.now() - 2 * hour,
  });
  await keepHtml(companion.collection, kelpId, `<!doctype html><h1>Kelp forests</h1><p>${kelpText}</p>`);
  browser = await launchBrowser('chromium');
  context = await browser.createBrowserContext();
  page = await context.newPage();
  await signIn();
  await page.close();
});
afterAll(async () => {
  await browser?.close();
  await companion?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

beforeEach(async () => {
  page = await context.newPage();
  complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
});
afterEach(() => page.close());

const origin = () => `http://holdfast.localhost:${companion.port}`;

async function signIn(): Promise<void> {
  await page.goto(`${origin()}/login#${await companion.access.newLoginCode()}`);
  await waitForText(page, 'Kelp forests');
}

async function openLibrary(): Promise<void> {
  await page.goto(`${origin()}/`);
  await waitForText(page, 'Kelp forests');
}

const focusedText = () => page.evaluate(() => document.activeElement?.textContent ?? '');
const titles = () => page.$$eval('.row-title', (links) => links.map((link) => link.textContent));

test('a login link opens the library once, and leaves no code behind', async () => {
  const link = `${origin()}/login#${await companion.access.newLoginCode()}`;
  const first = await browser.createBrowserContext();
  const opened = await first.newPage();
  await opened.goto(link);
  await waitForText(opened, 'Kelp forests');
  expect(opened.url()).toBe(`${origin()}/`);
  expect(await opened.evaluate(() => document.cookie)).toBe('');
  await first.close();

  const second = await browser.createBrowserContext();
  const refused = await second.newPage();
  await refused.goto(link);
  await refused.waitForFunction(
    () =>
      (document.querySelector('.answer')?.textContent ?? '').endsWith('.') &&
      !document.querySelector('button:disabled'),
  );
  expect(await refused.content()).not.toContain('Kelp forests');
  expect(await refused.$eval('.answer', (answer) => answer.textContent)).toMatch(/code|link/i);
  await second.close();
});

test('without a session there is a page to sign in and nothing of the collection', async () => {
  const stranger = await browser.createBrowserContext();
  const signedOut = await stranger.newPage();
  await signedOut.goto(`${origin()}/`);
  await waitForText(signedOut, 'Open your library');
  expect(await signedOut.content()).not.toContain('Kelp forests');
  expect(await namelessControls(signedOut)).toEqual([]);

  // The link may be pasted into the very tab that asks for it.
  await signedOut.goto(`${origin()}/login`);
  await signedOut.waitForSelector('#login-code');
  await signedOut.goto(`${origin()}/login#${await companion.access.newLoginCode()}`);
  await waitForText(signedOut, 'Kelp forests');
  await stranger.close();
});

test('by keyboard alone: search, open the page, read it, and back to the search', async () => {
  await openLibrary();
  await page.keyboard.press('/');
  await page.keyboard.type('holdfast');
  await page.waitForFunction(() => document.querySelectorAll('.row').length === 1);
  expect(await titles()).toEqual(['Kelp forests']);

  expect(await page.$eval('.row-snippet', (snippet) => snippet.textContent)).toBe(kelpText);
  expect(await page.$$eval('.row-snippet mark', (marks) => marks.map((mark) => mark.textContent))).toEqual([
    'holdfast',
  ]);
  expect(await page.$eval('.chip', (chip) => chip.textContent)).toContain('Begins with');

  await page.keyboard.press('ArrowDown');
  expect(await focusedText()).toBe('Kelp forests');
  await page.keyboard.press('Enter');
  const frame = await (await page.waitForSelector('iframe'))!.contentFrame();
  await frame.waitForSelector('h1');
  expect(await frame.$eval('p', (paragraph) => paragraph.textContent)).toBe(kelpText);
  expect(new URL(frame.url()).host).not.toBe(new URL(page.url()).host);

  await page.goBack();
  await waitForText(page, '1 page found');
  expect(await page.$eval('#search-box', (box) => (box as HTMLInputElement).value)).toBe('holdfast');
  expect(await focusedText()).toBe('Kelp forests');
  await page.focus('.chip button');
  await page.keyboard.press('Enter');
  await waitForText(page, '57 pages kept');
  expect(complaints).toEqual([]);
});

test('by keyboard alone: the snapshot page, from its title through every form and menu into the details', async () => {
  await openLibrary();
  await page.evaluate(() => localStorage.removeItem('holdfast.details'));
  await page.goto(`${origin()}/snapshot/${kelpId}`);
  await page.waitForSelector('.scripts-menu summary');
  await page.keyboard.press('Tab');
  expect(await focusedText()).toBe('Skip to the content');
  await tabTo('.title-button');
  await page.keyboard.press('Enter');
  await page.keyboard.type(' ');
  await page.keyboard.press('Escape');
  expect(await page.$eval('.title-button', (title) => title.textContent)).toBe('Kelp forests');

  await tabTo('.scripts-menu summary');
  await page.keyboard.press('Enter');
  await waitForText(page, 'WebRTC cannot be closed there');
  await page.keyboard.press('Tab');
  expect(await focusedText()).toBe('Run the scripts of this copy');
  await page.keyboard.press('Escape');
  expect(await page.$eval('.scripts-menu', (menu) => (menu as HTMLDetailsElement).open)).toBe(false);
  expect(await focusedText()).toBe('Scripts off');

  await tabTo('.details-button');
  await page.keyboard.press('Enter');
  await tabTo('#permission');
  await tabTo('[aria-label="New tag"]');
  await page.keyboard.type('by hand');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[aria-label="Remove the tag by hand"]');
  await tabTo('#note');
  await tabTo('.result summary');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.result details[open] .files a');
  await tabTo('.details .danger');
  await page.focus('[aria-label="Remove the tag by hand"]');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => !document.body.innerText.includes('by hand'));
  await page.evaluate(() => localStorage.removeItem('holdfast.details'));
  expect(complaints).toEqual([]);
});

/** Goes on with the Tab key until the element has the focus; a way that does not lead there fails. */
async function tabTo(selector: string): Promise<void> {
  for (let step = 0; step < 60; step += 1) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the Tab key never reached ${selector}`);
}

test('a search that finds nothing says what was searched, and markup in a found text is text', async () => {
  const markup = '<img src=x onerror="document.title=1"> zostera';
  const id = await keepPage(companion.collection, { title: 'Seagrass', text: markup });
  await openLibrary();
  await page.goto(`${origin()}/?search=${encodeURIComponent('zostera !! ')}`);
  await page.waitForSelector('.row-snippet mark');
  expect(await page.$eval('.row-snippet', (snippet) => snippet.textContent)).toBe(markup);
  expect(await page.$('.row-snippet img')).toBeNull();
  await waitForText(page, '“!!” asked for nothing');
  await page.goto(`${origin()}/?search=${encodeURIComponent('zostera tag:reading -"old page" ')}`);
  await waitForText(page, 'Looked for the word “zostera” and the tag “reading”, without the phrase “old page”.');
  expect(await page.$eval('.list-count', (count) => count.textContent)).toBe('Nothing found.');
  await companion.request(`/api/v1/core/snapshot/${id}`, { method: 'DELETE' });
  expect(complaints).toEqual([]);
});

test('long lists come in steps, and each page is there once', async () => {
  await openLibrary();
  await waitForText(page, '57 pages kept, 50 shown');
  await page.click('.show-more');
  await page.waitForFunction(() => document.querySelectorAll('.row').length === 57);
  expect(new Set(await titles()).size).toBe(57);
  expect(await page.$('.show-more')).toBeNull();

  // Coming back from a page far down finds the same place.
  const last = (await page.$$('.row-title')).at(-1)!;
  await last.focus();
  await page.keyboard.press('Enter');
  await waitForText(page, 'Details');
  await page.goBack();
  await page.waitForFunction(() => document.querySelectorAll('.row').length === 57 && scrollY > 1000);
  expect(await focusedText()).toBe('Old page 54');
});

test('titles and tags are text, whatever they hold', async () => {
  await openLibrary();
  expect(await titles()).toContain(hostileTitle);
  expect(await page.$('.row-title img, .row-tags b')).toBeNull();
  await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('.row-tags a')]
      .find((tag) => tag.textContent?.includes('loud'))
      ?.click(),
  );
  await waitForText(page, '1 page found');
  expect(await titles()).toEqual([hostileTitle]);
  expect(complaints).toEqual([]);
});

test('a page kept meanwhile appears by itself', async () => {
  await openLibrary();
  const id = await keepPage(companion.collection, { title: 'Just arrived' });
  await waitForText(page, 'Just arrived');
  await companion.request(`/api/v1/core/snapshot/${id}`, { method: 'DELETE' });
  await page.waitForFunction(() => !document.body.innerText.includes('Just arrived'));
});

test('more tabs than a browser has connections all open, and all learn of news, also when the first is closed', async () => {
  const tabs: Page[] = [];
  for (let count = 0; count < 8; count += 1) {
    const tab = await context.newPage();
    await tab.goto(`${origin()}/`);
    await waitForText(tab, 'Kelp forests');
    tabs.push(tab);
  }
  await tabs.shift()!.close();
  const id = await keepPage(companion.collection, { title: 'News for all' });
  for (const tab of tabs) {
    await tab.bringToFront();
    await waitForText(tab, 'News for all');
  }
  await companion.request(`/api/v1/core/snapshot/${id}`, { method: 'DELETE' });
  for (const tab of tabs) await tab.close();
});

test('a deletion can be taken back, and is carried out when the page is left', async () => {
  const id = await keepPage(companion.collection, { title: 'Soon gone' });
  await openLibrary();
  await waitForText(page, 'Soon gone');
  const remove = async (): Promise<void> => {
    await page.click(`.row[data-id="${id}"] input`);
    await page.click('.selection-bar .danger');
    await page.waitForFunction((row) => !document.querySelector(row), {}, `.row[data-id="${id}"]`);
  };
  await remove();
  await page.click('.toast button');
  await waitForText(page, 'Soon gone');
  expect(findSnapshot(companion.collection.db, id)?.trashed_at).toBeNull();

  await remove();
  await page.goto('about:blank');
  await expect.poll(() => findSnapshot(companion.collection.db, id)?.trashed_at, patience).toEqual(expect.any(Number));
});

test('title, tags and note are changed where they stand', async () => {
  const id = await keepPage(companion.collection, { title: 'Before', url: 'https://edit.example/' });
  await openLibrary();
  await page.goto(`${origin()}/snapshot/${id}`);
  await (await page.waitForSelector('.title-button'))!.click();
  await page.waitForSelector('input:focus');
  await page.keyboard.type('After the edit');
  await page.keyboard.press('Enter');
  await page.click('.details-button');
  await page.type('[aria-label="New tag"]', 'mended');
  await page.keyboard.press('Enter');
  await page.type('#note', 'Because it matters.');
  await page.focus('.details-button');
  const answer = async () => (await companion.request(`/api/v1/core/snapshot/${id}`)).json();
  await expect.poll(answer, patience).toMatchObject({
    title: 'After the edit',
    title_origin: 'user',
    tags: ['mended'],
    notes: 'Because it matters.',
  });
  await companion.request(`/api/v1/core/snapshot/${id}`, { method: 'DELETE' });
});

test('an archived link opens the newest kept copy, or offers to keep the address', async () => {
  await openLibrary();
  await page.goto(`${origin()}/web/${kelpUrl}#part`);
  await page.waitForFunction((id) => location.pathname === `/snapshot/${id}`, {}, kelpId);
  await page.goto(`${origin()}/web/https://unknown.example/a?b=c`);
  await waitForText(page, 'This page is not kept yet');
  expect(await page.$eval('.address', (address) => address.textContent)).toBe('https://unknown.example/a?b=c');
  await page.goto(`${origin()}/web/javascript:alert(1)`);
  await waitForText(page, 'This address cannot be kept');
  expect(await page.$$eval('main a', (links) => links.length)).toBe(0);
});

test('a code is shown to connect a browser', async () => {
  await openLibrary();
  await page.goto(`${origin()}/pairing`);
  await (await page.waitForSelector('.section .button'))!.click();
  const code = await (await page.waitForSelector('.pairing-code'))!.evaluate((element) => element.textContent);
  expect(code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/);
  const paired = await companion.access.pair(code!, 'A test browser', '');
  await waitForText(page, 'A test browser');
  await page.click('[aria-label="Disconnect A test browser"]');
  await waitForText(page, 'can no longer send pages');
  expect(() => companion.access.requireToken(paired.token)).toThrow();
});

test.each([1280, 360])(
  '%i pixels wide, every control has a name and every text enough contrast, in light and dark',
  async (width) => {
    await page.setViewport({ width, height: 740 });
    await openLibrary();
    await page.evaluate(() => localStorage.setItem('holdfast.details', 'true'));
    const search = '/?search=kelp%20tag:reading';
    for (const place of ['/', search, `/snapshot/${kelpId}`, '/pairing', '/web/https://unknown.example/', '/nowhere']) {
      await page.goto(origin() + place);
      await page.waitForFunction(() => document.querySelector('main')?.querySelector('.row, h1, iframe'));
      const weak: string[] = [];
      const serious: string[] = [];
      for (const scheme of ['light', 'dark']) {
        await page.emulateMediaFeatures([
          { name: 'prefers-color-scheme', value: scheme },
          // Colours are looked at when they have arrived, not on their way.
          { name: 'prefers-reduced-motion', value: 'reduce' },
        ]);
        weak.push(...(await weakTexts(page)).map((text) => `${scheme} ${text}`));
        serious.push(...(await seriousViolations(page)).map((text) => `${scheme} ${text}`));
      }
      const shape = await pageShape(page);
      const found = { place, weak, serious, nameless: await namelessControls(page), ...shape };
      expect(found).toEqual({
        place,
        weak: [],
        serious: [],
        nameless: [],
        main: 1,
        h1: 1,
        language: 'en',
        overflow: 0,
      });
    }
  },
);
