import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchWithExtension, type ExtensionBrowser } from '../helpers/extension-browser.ts';
import { startSite, type TestSite } from '../helpers/site.ts';

let site: TestSite;
let extension: ExtensionBrowser;

beforeAll(async () => {
  site = await startSite();
  extension = await launchWithExtension({ args: ['--host-resolver-rules=MAP plain.example 127.0.0.1'] });
}, 120_000);

afterAll(async () => {
  await extension?.close();
  await site?.stop();
});

test('a page of plain http, which has no secure context, is kept with every witness', async () => {
  const url = `http://plain.example:${site.port}/article.html`;
  const page = await extension.browser.newPage();
  await page.goto(url);
  expect(await page.evaluate(() => isSecureContext)).toBe(false);
  const text = await page.evaluate(() => document.querySelector('h1')?.textContent ?? '');
  await page.bringToFront();
  await extension.clickToolbar(page);
  // Nothing is paired: the captures stay in this browser.
  const capture = await extension.waitForCapture((one) => one.url === url && one.stage !== 'capturing', 90_000);
  expect(capture.witnesses.map(({ kind, outcome }) => [kind, outcome])).toEqual(
    expect.arrayContaining([
      ['dom', 'kept'],
      ['mhtml', 'kept'],
      ['screenshot', 'kept'],
    ]),
  );
  const dom = capture.witnesses.find(({ kind }) => kind === 'dom')!;
  expect((await extension.readFile(capture.id, dom.files[0]!.path)).toString()).toContain(text);
});
