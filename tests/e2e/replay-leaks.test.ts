import type { Browser, Frame, Page } from 'puppeteer-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { leaksWithoutProtection, probePage } from '../fixtures/replay-probe.ts';
import { startCanary, type Canary } from '../helpers/canary.ts';
import { browserNames, launchBrowser } from '../helpers/real-browsers.ts';
import { startPlainSite } from '../helpers/plain-site.ts';
import { startReplayBench, type ReplayBench } from '../helpers/replay-bench.ts';

let bench: ReplayBench;
beforeAll(async () => {
  bench = await startReplayBench();
});
afterAll(() => bench.close());

/** The frame that shows the kept page: the page itself, or the one inside the UI. */
async function keptFrame(page: Page, address: string): Promise<Frame> {
  const path = new URL(address).pathname;
  return page.waitForFrame((frame) => frame.url().includes(path) && !frame.url().includes('/frame?'));
}

describe.each(browserNames)('in %s', (name) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(name);
  });
  afterAll(() => browser.close());

  /**
   * Opens the probe without protection and resolves when its last leak has arrived. What a page opened before would
   * leak has arrived by then too: it had the same way to go and more time.
   */
  async function leakFreely(): Promise<Canary> {
    const canary = await startCanary();
    const site = await startPlainSite(probePage(`127.0.0.1:${canary.port}`));
    const page = await browser.newPage();
    await page.goto(site.address);
    await canary.waitFor(leaksWithoutProtection);
    await page.close();
    await site.close();
    await canary.close();
    return canary;
  }

  const places: Record<string, (id: string) => string> = {
    'as a page of its own': (id) => bench.addressOf(id),
    'in the frame of the UI': (id) => bench.frameOf(bench.addressOf(id)),
    'as a page of the fallback port': (id) => bench.fallbackOf(id),
    'in the frame of the UI on 127.0.0.1': (id) => bench.fallbackFrameOf(bench.fallbackOf(id)),
  };

  test('the probe leaks when nothing holds it back, and when kept it reaches nobody wherever it is shown', async () => {
    const shown: { place: string; canary: Canary }[] = [];
    for (const [place, addressOf] of Object.entries(places)) {
      const canary = await startCanary();
      const body = probePage(`127.0.0.1:${canary.port}`);
      const id = await bench.keep({ outputs: [{ path: 'singlefile.html', mimetype: 'text/html', body }] });
      const page = await browser.newPage();
      await page.goto(addressOf(id));
      const frame = await keptFrame(page, bench.addressOf(id));
      expect(await frame.evaluate(() => document.querySelector('h1')?.textContent)).toBe('probe');
      shown.push({ place, canary });
    }
    const free = await leakFreely();
    expect(free.connections()).toBeGreaterThan(1);
    if (name === 'chromium') expect(free.datagrams()).toBeGreaterThan(0);
    for (const { place, canary } of shown) {
      const reached = { connections: canary.connections(), datagrams: canary.datagrams(), requests: canary.requests() };
      expect({ place, ...reached }).toEqual({ place, connections: 0, datagrams: 0, requests: [] });
      await canary.close();
    }
  });
});
