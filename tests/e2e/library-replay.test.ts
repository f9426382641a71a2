import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, Frame, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../shared/protocol/routes.ts';
import { attemptsPage } from '../fixtures/replay-attacks.ts';
import { startCanary, type Canary } from '../helpers/canary.ts';
import { startCompanion, type TestCompanion } from '../helpers/companion.ts';
import { keepHtml } from '../helpers/kept-html.ts';
import { keepPage } from '../helpers/kept-pages.ts';
import { waitForText } from '../helpers/page-checks.ts';
import { browserNames, launchBrowser } from '../helpers/real-browsers.ts';

const text = 'Kelp grows half a metre a day.';
const scriptedPage = `<!doctype html><title>plain</title><p>${text}</p><script>document.title = 'scripted'</script>`;

let dataDir: string;
let companion: TestCompanion;
let canary: Canary;
let plainId: string;
let scriptedId: string;
let attackId: string;
beforeAll(async () => {
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-shown-'));
  companion = await startCompanion({ dataDir, args: ['--no-runner'] });
  canary = await startCanary();
  const keep = async (title: string, html: string): Promise<string> => {
    const id = await keepPage(companion.collection, { title });
    await keepHtml(companion.collection, id, html);
    return id;
  };
  plainId = await keep('A plain page', `<!doctype html><p>${text}</p>`);
  scriptedId = await keep('A page with scripts', scriptedPage);
  attackId = await keep('An attack', attemptsPage(canary.port, companion.port, (await replayOf(plainId)).preferred));
});
afterAll(async () => {
  await canary?.close();
  await companion?.stop();
  fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

const replayOf = async (id: string) => (await companion.request(routes.replayAddress(id))).json();
const byName = () => `http://holdfast.localhost:${companion.port}`;
const byNumber = () => `http://127.0.0.1:${companion.port}`;

async function signIn(browser: Browser, origin: string): Promise<Page> {
  const context: BrowserContext = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.goto(`${origin}/login#${await companion.access.newLoginCode()}`);
  await waitForText(page, 'A plain page');
  return page;
}

/** The frame of the kept copy that the page shows, when its text is there. */
async function keptFrame(page: Page): Promise<Frame> {
  const frame = await (await page.waitForSelector('iframe.reading-frame'))!.contentFrame();
  await frame.waitForSelector('p');
  return frame;
}

const hostOf = (frame: Frame) => new URL(frame.url()).hostname;

describe('where names below localhost lead nowhere', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser('chromium', ['--host-resolver-rules=MAP *.localhost ~NOTFOUND']);
  });
  afterAll(() => browser?.close());

  test('the library opened by number shows kept copies from its second port, and says why scripts stay off', async () => {
    const page = await signIn(browser, byNumber());
    await page.goto(`${byNumber()}/snapshot/${scriptedId}`);
    const frame = await keptFrame(page);
    expect(await frame.$eval('p', (paragraph) => paragraph.textContent)).toBe(text);
    const shown = new URL(frame.url());
    expect(shown.hostname).toBe('127.0.0.1');
    expect(shown.port).not.toBe(String(companion.port));
    expect(await frame.evaluate(() => [origin, document.title])).toEqual(['null', 'plain']);
    await page.click('.scripts-menu summary');
    await waitForText(page, 'does not find names that end in .localhost');
    expect(await page.$('.scripts-menu .floating button')).toBeNull();
    await page.close();
  });
});

describe.each(browserNames)('in %s', (name) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(name);
  });
  afterAll(() => browser?.close());

  test('a copy stands on its own host, also when the library itself was opened by number', async () => {
    for (const origin of [byName(), byNumber()]) {
      const page = await signIn(browser, origin);
      await page.goto(`${origin}/snapshot/${plainId}`);
      expect(hostOf(await keptFrame(page))).toMatch(/^[a-z0-9]{58}\.localhost$/);
      await page.close();
    }
  });

  test('scripts run when the reader asks, reach nothing but themselves, and stop when the copy is left', async () => {
    const page = await signIn(browser, byName());
    await page.goto(`${byName()}/snapshot/${scriptedId}`);
    expect(await (await keptFrame(page)).evaluate(() => document.title)).toBe('plain');
    await page.click('.scripts-menu summary');
    await waitForText(page, 'WebRTC cannot be closed there');
    await turnScripts(page);
    const frame = await keptFrame(page);
    await frame.waitForFunction(() => document.title === 'scripted');
    expect((await page.goto(page.url()))?.headers()['content-security-policy']).toContain(
      `frame-src http://${hostOf(frame)}:${companion.port};`,
    );
    // The policy of this document names one host, so another copy is opened in a document of its own.
    await keptFrame(page);
    await Promise.all([page.waitForNavigation(), page.click('.back-link')]);
    await waitForText(page, 'A plain page');
    await page.goto(`${byName()}/snapshot/${plainId}`);
    await keptFrame(page);
    expect(await page.$eval('.scripts-menu summary', (summary) => summary.textContent)).toBe('Scripts off');
    await page.close();
  });

  test('an attacking copy with its scripts on finds every way closed', async () => {
    const page = await signIn(browser, byName());
    await page.goto(`${byName()}/snapshot/${attackId}`);
    await page.waitForSelector('iframe.reading-frame');
    const before = canary.connections();
    await page.click('.scripts-menu summary');
    await turnScripts(page);
    const frame = await (await page.waitForSelector('iframe.reading-frame'))!.contentFrame();
    await frame.waitForFunction(() => document.body.dataset['done'] === 'yes');
    const found = await frame.evaluate(() => JSON.parse(document.body.dataset['found']!) as Record<string, string>);
    const attempts = Object.entries(found).filter(([attempt]) => !['storage', 'cookie', 'origin'].includes(attempt));
    expect(attempts.length).toBeGreaterThan(12);
    for (const [attempt, result] of attempts) expect({ attempt, result }).toEqual({ attempt, result: 'refused' });
    expect(new URL(page.url()).pathname).toBe(`/snapshot/${attackId}`);
    expect([canary.requests(), canary.connections()]).toEqual([[], before]);
    await page.close();
  });

  test('an address that asks for scripts runs none unless the reader asked in this tab', async () => {
    const page = await signIn(browser, byName());
    const { host } = await replayOf(scriptedId);
    await page.goto(`${byName()}/snapshot/${scriptedId}?scripts=${host.split('.')[0]}`);
    expect(await (await keptFrame(page)).evaluate(() => document.title)).toBe('plain');
    await page.close();
  });
});

async function turnScripts(page: Page): Promise<void> {
  await Promise.all([page.waitForNavigation(), page.click('.scripts-menu .floating button')]);
}
