import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'puppeteer-core';
import type { CaptureRecord } from '../../extension/outbox/capture-record.ts';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { mainColors } from '../helpers/page-likeness.ts';
import { startSite, type TestSite } from '../helpers/site.ts';

const RED = 'ff0000';
const BLUE = '0000ff';

let site: TestSite;
let extension: ExtensionBrowser;
let blue: Page;
let red: Page;

beforeAll(async () => {
  site = await startSite();
  extension = await launchWithExtension({ height: 500 });
  blue = await extension.browser.newPage();
  await blue.goto(site.a('/blue.html'));
  red = await extension.browser.newPage();
  await red.goto(site.b('/red.html'));
}, 240_000);

afterAll(async () => {
  await extension?.close();
  await site?.stop();
});

async function colorsOf(capture: CaptureRecord): Promise<Map<string, number>[]> {
  const picture = capture.witnesses.find((witness) => witness.kind === 'screenshot');
  const files = await Promise.all((picture?.files ?? []).map((file) => extension.readFile(capture.id, file.path)));
  const thumbnail = capture.thumbnail === '' ? [] : [await toPng(capture.thumbnail)];
  return [...files, ...thumbnail].map(mainColors);
}

/** The small picture is WebP; the browser itself turns it into PNG. */
async function toPng(dataUrl: string): Promise<Buffer> {
  const page = await extension.openPage('outbox.html');
  const png = await page.evaluate(async (source) => {
    const image = new Image();
    image.src = source;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d')!.drawImage(image, 0, 0);
    return canvas.toDataURL('image/png').split(',')[1]!;
  }, dataUrl);
  await page.close();
  return Buffer.from(png, 'base64');
}

test('a page behind another one gets no picture of the one in front', async () => {
  await red.bringToFront();
  const tabId = await extension.tabId(site.a('/blue.html'));
  const { captureId } = await extension.send('keepTab', { tabId });
  const capture = await extension.waitForCapture((one) => one.id === captureId && one.stage !== 'capturing', 120_000);
  const picture = capture.witnesses.find((witness) => witness.kind === 'screenshot');
  expect(picture).toMatchObject({ outcome: 'failed', files: [], note: 'the page was not in front long enough.' });
  expect(capture.thumbnail).toBe('');
  expect(capture.witnesses.find((witness) => witness.kind === 'dom')?.outcome).toBe('kept');
});

test('whatever tab comes to the front while a page is photographed, its picture shows only that page', async () => {
  for (const stayMs of [30, 90, 170, 260, 400]) {
    await blue.bringToFront();
    const { captureId } = await extension.send('keepTab', { tabId: await extension.tabId(site.a('/blue.html')) });
    const over = extension.waitForCapture((one) => one.id === captureId && one.stage !== 'capturing', 180_000);
    let running = true;
    void over.finally(() => (running = false));
    // The person goes to and fro all the time, in another rhythm in each round.
    while (running) {
      await red.bringToFront();
      await new Promise((resolve) => setTimeout(resolve, stayMs));
      await blue.bringToFront();
      await new Promise((resolve) => setTimeout(resolve, stayMs * 4));
    }
    for (const colors of await colorsOf(await over)) {
      expect(colors.get(RED) ?? 0, `with ${stayMs} ms`).toBe(0);
      expect(colors.get(BLUE) ?? 0).toBeGreaterThan(0.5);
    }
  }
});

test('a page that stays in front is photographed whole', async () => {
  await red.bringToFront();
  const { captureId } = await extension.send('keepTab', { tabId: await extension.tabId(site.b('/red.html')) });
  const capture = await extension.waitForCapture((one) => one.id === captureId && one.stage !== 'capturing', 120_000);
  expect(capture.missing).toEqual([]);
  const [picture, thumbnail] = await colorsOf(capture);
  expect(picture?.get(RED) ?? 0).toBeGreaterThan(0.9);
  expect(picture?.get(BLUE) ?? 0).toBe(0);
  expect(thumbnail).toBeDefined();
});

/** Screens of the page that are photographed before it goes away, of many more. */
const SCREENS_BEFORE_LEAVING = 3;

test('a tab that goes to another page in the middle keeps nothing of the next page', async () => {
  const page = await extension.browser.newPage();
  await page.goto(site.a('/blue.html?leaves'));
  await page.bringToFront();
  // Half a minute of shots at the pace the browser allows.
  await page.evaluate(() => (document.body.style.height = '30000px'));
  const { captureId } = await extension.send('keepTab', { tabId: await extension.tabId(site.a('/blue.html?leaves')) });
  const complete = (one: CaptureRecord) => one.witnesses.filter((witness) => witness.outcome === 'kept').length;
  // Both copies are complete: the tall picture is being taken, and the page itself goes in the middle of it.
  await extension.waitForCapture((one) => one.id === captureId && complete(one) >= 2, 120_000);
  const gone = page.waitForNavigation({ timeout: 60_000 });
  await page.evaluate(
    (next, screens) =>
      addEventListener('scroll', () => {
        if (scrollY >= screens * innerHeight) location.href = next;
      }),
    site.b('/red.html?next'),
    SCREENS_BEFORE_LEAVING,
  );
  await gone;
  const capture = await extension.waitForCapture((one) => one.id === captureId && one.stage !== 'capturing', 120_000);
  expect(capture.url).toBe(site.a('/blue.html?leaves'));
  expect(capture.witnesses.find((witness) => witness.kind === 'screenshot')?.outcome).toBe('failed');
  const html = (await extension.readFile(capture.id, 'singlefile.html')).toString();
  expect(html).toContain('The blue page');
  expect(html).not.toContain('The red page');
  for (const colors of await colorsOf(capture)) expect(colors.get(RED) ?? 0).toBe(0);
  await page.close();
});
