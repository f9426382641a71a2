import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { mainColors, wholePicture } from '../helpers/page-likeness.ts';
import { startSite, type TestSite } from '../helpers/site.ts';

let site: TestSite;
let extension: ExtensionBrowser;

beforeAll(async () => {
  site = await startSite();
  extension = await launchWithExtension();
}, 240_000);

afterAll(async () => {
  await extension?.close();
  await site?.stop();
});

async function keep(
  address: string,
): Promise<{ missing: string[]; html: string; facts: ReturnType<typeof JSON.parse> }> {
  const page = await extension.browser.newPage();
  await page.goto(site.a(address));
  await page.bringToFront();
  await extension.clickToolbar(page);
  const { id, missing } = await extension.waitForCapture(
    (one) => one.url === site.a(address) && one.stage !== 'capturing',
    120_000,
  );
  await page.close();
  const read = async (file: string) => (await extension.readFile(id, file)).toString();
  return { missing, html: await read('singlefile.html'), facts: JSON.parse(await read('facts.json')) };
}

test('frames that give no answer are counted and named', async () => {
  const { missing, html, facts } = await keep('/silent-frames.html');
  expect(html).toContain('Frames that keep quiet');
  expect(html).toContain('A frame without an address of its own.');
  expect(html).toContain('This frame holds another one.');
  expect(html).not.toContain('This frame hears no message');
  expect(missing).toEqual(['2 frames could not be kept: no answer came.']);
  expect(facts.frames).toMatchObject({ seen: 5, answered: 3 });
  expect(facts.frames.missing.toSorted()).toEqual([site.a('/frame-deaf.html'), site.b('/frame-deaf.html')]);
  expect(facts.missing).toEqual(missing);
});

test('a canvas keeps its picture inside open, closed and nested shadow roots', async () => {
  const { html, missing } = await keep('/shadow.html');
  expect(missing).toEqual([]);
  const copy = await extension.browser.newPage();
  await copy.setJavaScriptEnabled(false);
  await copy.setContent(html);
  const colors = mainColors(await wholePicture(copy));
  for (const color of ['6b4f9a', 'a33b6b', '2f8f6b', '8a3b3b'])
    expect([color, colors.has(color)]).toEqual([color, true]);
  await copy.close();
});

test('a page whose script never ends gets its end: what can be known is kept, and the reason is said', async () => {
  const page = await extension.browser.newPage();
  await page.goto(site.a('/hangs.html'));
  await page.bringToFront();
  const tabId = await extension.tabId(site.a('/hangs.html'));
  const { captureId } = await extension.send('keepTab', { tabId });
  const capture = await extension.waitForCapture((one) => one.id === captureId && one.stage !== 'capturing', 200_000);
  const outcomes = Object.fromEntries(capture.witnesses.map(({ kind, outcome }) => [kind, outcome]));
  expect(outcomes).toMatchObject({ facts: 'kept', dom: 'failed', screenshot: 'failed' });
  expect(capture.witnesses.find(({ kind }) => kind === 'dom')?.note).toMatch(/^The page does not answer: /);
}, 240_000);
