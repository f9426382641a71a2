import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import type { TestCompanion } from '../helpers/companion.ts';
import type { ExtensionBrowser } from '../helpers/extension-browser.ts';
import { startOutfit, type Outfit } from '../helpers/outfit.ts';
import type { TestSite } from '../helpers/site.ts';

let outfit: Outfit;
let site: TestSite;
let companion: TestCompanion;
let extension: ExtensionBrowser;

beforeAll(async () => {
  outfit = await startOutfit({ args: ['--no-runner'] });
  ({ site, companion, extension } = outfit);
}, 240_000);

afterAll(() => outfit?.stop());

async function snapshotsOf(url: string): Promise<string[]> {
  const { items } = (await companion.request(`${routes.snapshots}?url=${encodeURIComponent(url)}`)).json();
  return (items as { id: string; url: string }[]).filter((one) => one.url === url).map((one) => one.id);
}

test('a double click joins the capture that runs and gives one snapshot', async () => {
  const url = site.a('/article.html');
  const page = await extension.browser.newPage();
  await page.goto(url);
  await page.bringToFront();
  const tabId = await extension.tabId(url);
  const clicks = await Promise.all([
    extension.send('keepTab', { tabId }),
    extension.send('keepTab', { tabId }),
    extension.send('keepTab', { tabId, unlessKept: true }),
  ]);
  expect(new Set(clicks.map((click) => click.captureId)).size).toBe(1);
  // A real click while it is being kept.
  await extension.clickToolbar(page);
  await extension.waitForCapture((one) => one.url === url && one.stage === 'sent', 120_000);
  expect((await extension.captures()).filter((one) => one.url === url)).toHaveLength(1);
  expect(await snapshotsOf(url)).toHaveLength(1);
  await page.close();
});

test('two captures of one address give two snapshots, however close in time', async () => {
  const url = site.a('/untitled.html');
  const page = await extension.browser.newPage();
  await page.goto(url);
  await page.bringToFront();
  await extension.clickToolbar(page);
  const first = await extension.waitForCapture((one) => one.url === url && one.stage === 'sent', 120_000);
  // Opening the popup again shows what was kept and keeps nothing anew; "Keep again" does.
  await extension.clickToolbar(page);
  const tabId = await extension.tabId(url);
  const shown = await extension.send('getPopupState', { tabId });
  expect(shown.current).toMatchObject({ id: first.id, phase: 'kept_on_disk' });
  expect(shown.current?.actions).toContain('keep_again');
  await page.bringToFront();
  await extension.send('keepTab', { tabId });
  await extension.waitForCapture((one) => one.url === url && one.id !== first.id && one.stage === 'sent', 120_000);
  expect(await snapshotsOf(url)).toHaveLength(2);
  await page.close();
});

test('the same address loaded anew is kept by the next click', async () => {
  const url = site.a('/untitled.html');
  const page = await extension.browser.newPage();
  await page.goto(url);
  await page.bringToFront();
  const before = (await snapshotsOf(url)).length;
  await extension.clickToolbar(page);
  await extension.waitForCapture(
    (one) => one.url === url && one.stage === 'sent' && !one.closeTab && one.at > Date.now() - 120_000,
    120_000,
  );
  await expect.poll(async () => (await snapshotsOf(url)).length, { timeout: 120_000 }).toBe(before + 1);
  await page.close();
});
