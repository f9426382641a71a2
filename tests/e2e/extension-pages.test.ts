import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'puppeteer-core';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { namelessControls, pageShape, waitForText, weakTexts } from '../helpers/page-checks.ts';
import { startSite, type TestSite } from '../helpers/site.ts';

/** Where pictures of the pages are left for people who look at them; none without it. */
const picturesFolder = process.env.HOLDFAST_PICTURES;

let dataDir: string;
let site: TestSite;
let companion: TestCompanion;
let extension: ExtensionBrowser;

beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-pages-'));
  site = await startSite();
  companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  extension = await launchWithExtension();
}, 240_000);

afterAll(async () => {
  await extension?.close();
  await companion?.stop();
  await site?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/** What every page of the extension owes everybody: names for controls, one landmark, contrast in light and dark. */
async function look(page: Page, name: string, width: number): Promise<void> {
  // A page behind another one draws nothing.
  await page.bringToFront();
  await page.setViewport({ width, height: 700 });
  for (const scheme of ['light', 'dark']) {
    // Colours that still move on their way to the other scheme are no colours of the page.
    await page.emulateMediaFeatures([
      { name: 'prefers-reduced-motion', value: 'reduce' },
      { name: 'prefers-color-scheme', value: scheme },
    ]);
    expect([name, scheme, await weakTexts(page)]).toEqual([name, scheme, []]);
    if (picturesFolder) {
      await page.screenshot({
        path: path.join(picturesFolder, `${name}-${scheme}.png`) as `${string}.png`,
        fullPage: true,
      });
    }
  }
  expect([name, await namelessControls(page)]).toEqual([name, []]);
  expect(await pageShape(page)).toMatchObject({ main: 1, h1: 1, overflow: 0 });
}

/** How often the page says something. */
async function timesSaid(page: Page, words: string): Promise<number> {
  return (await page.evaluate(() => document.body.innerText)).split(words).length - 1;
}

async function press(page: Page, words: string): Promise<void> {
  await page.locator(`::-p-xpath(//button[normalize-space(.)=${JSON.stringify(words)}])`).click();
}

async function keep(address: string): Promise<Page> {
  const page = await extension.browser.newPage();
  await page.goto(site.a(address));
  await page.bringToFront();
  await extension.clickToolbar(page);
  await extension.waitForCapture((one) => one.url === site.a(address) && one.stage !== 'capturing');
  return extension.openPage(`popup.html?tab=${await extension.tabId(site.a(address))}`);
}

test('from the first click on an unpaired browser to a copy on the disk', async () => {
  const popup = await keep('/article.html');
  await waitForText(popup, 'This browser is not paired with Holdfast yet.');
  const buttons = popup
    .locator('.button-line')
    .map((line) => [...line.children].map((one) => [one.textContent, (one as HTMLElement).offsetTop]));
  const places = await buttons.wait();
  expect(places.map(([words]) => words)).toEqual(['Connect', 'Keep again', 'Discard']);
  expect(new Set(places.map(([, top]) => top)).size).toBe(1);
  await look(popup, 'popup-unpaired', 360);
  const options = await extension.openPage('options.html?welcome=1');
  await waitForText(options, 'Welcome to Holdfast');
  await look(options, 'options-welcome', 1000);

  await options.locator('#address').fill(`shore.example:${companion.port}`);
  await press(options, 'Save');
  await waitForText(options, 'Holdfast speaks only to its companion on this computer');
  await options.locator('#address').fill(`127.0.0.1:${companion.port}`);
  await press(options, 'Save');
  await waitForText(options, 'Saved.');
  await options.locator('#code').fill(companion.pairingCode);
  await options.keyboard.press('Enter');
  await waitForText(options, 'Connected to Holdfast on this computer.');
  await look(options, 'options-paired', 1000);
  expect(await timesSaid(options, 'not paired')).toBe(0);
  await extension.waitForCapture((one) => one.stage === 'sent');
  await popup.bringToFront();
  await waitForText(popup, 'Kept on disk. 4 captures');
  await look(popup, 'popup-kept', 360);
  await options.close();
  await popup.close();
});

test('the outbox sends again when asked, and forgets what is discarded', async () => {
  const { port } = companion;
  await companion.kill();
  const popup = await keep('/untitled.html');
  await waitForText(popup, 'Holdfast is not running on this computer');
  await look(popup, 'popup-waiting', 360);
  expect(await timesSaid(popup, 'is not running')).toBe(1);
  await (await keep('/red.html')).close();
  const outbox = await extension.openPage('outbox.html');
  await waitForText(outbox, '2 pages');
  await look(outbox, 'outbox-waiting', 1000);
  await look(outbox, 'outbox-waiting-narrow', 360);
  await press(outbox, 'Send all now');
  expect(await timesSaid(outbox, 'is not running')).toBe(1);
  const [red] = await extension.captures().then((all) => all.filter((one) => one.url === site.a('/red.html')));
  await outbox.locator('li.line ::-p-text(Discard)').click();
  await waitForText(outbox, '1 page,', 20_000);
  expect((await extension.captures()).some((one) => one.id === red?.id)).toBe(false);
  companion = await startCompanion({ dataDir, port, args: ['--no-runner'] });
  await press(outbox, 'Send all now');
  await waitForText(outbox, 'Nothing waits. Everything you kept is on disk.', 60_000);
  await look(outbox, 'outbox-empty', 1000);
  expect(await timesSaid(outbox, 'is not running')).toBe(0);
  await popup.bringToFront();
  await waitForText(popup, 'Kept on disk.');
});
