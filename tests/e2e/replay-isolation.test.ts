import type { Browser, Frame, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { attemptsPage, redPdf } from '../fixtures/replay-attacks.ts';
import { startCanary, type Canary } from '../helpers/canary.ts';
import { browserNames, launchBrowser } from '../helpers/real-browsers.ts';
import { startPlainSite } from '../helpers/plain-site.ts';
import { redShare } from '../helpers/picture.ts';
import { startReplayBench, type KeptPage, type ReplayBench } from '../helpers/replay-bench.ts';

let bench: ReplayBench;
let canary: Canary;
beforeAll(async () => {
  bench = await startReplayBench();
  canary = await startCanary();
});
afterAll(async () => {
  await bench.close();
  await canary.close();
});

const keepPage = (body: string, facts: Omit<KeptPage, 'outputs'> = {}): Promise<string> =>
  bench.keep({ ...facts, outputs: [{ path: 'singlefile.html', mimetype: 'text/html', body }] });

describe.each(browserNames)('in %s', (name) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(name);
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const page of await browser.pages()) if (page !== (await browser.pages())[0]) await page.close();
  });

  const open = async (address: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(address);
    return page;
  };
  /** A kept page as the UI shows it, and its frame. */
  const openFramed = async (id: string, query = ''): Promise<{ page: Page; frame: Frame }> => {
    const address = bench.addressOf(id) + query;
    const page = await open(bench.frameOf(address));
    return { page, frame: await page.waitForFrame((frame) => frame.url() === address) };
  };

  test('a kept page looks as it did: own styles, pictures, fonts, frames, shadow roots, noscript', async () => {
    const dot = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 width=%229%22 height=%229%22/%3E';
    const id = await bench.keep({
      outputs: [
        {
          path: 'singlefile.html',
          mimetype: 'text/html',
          body: `<!doctype html><style>#a { width: 7px }</style><link rel=stylesheet href="style.css"><p id=a style="height:8px"></p>
<p id=b></p><img id=data src="${dot}"><img id=own src="dot.svg"><noscript><p id=n>n</p></noscript>
<iframe id=srcdoc srcdoc="<p>inner</p>"></iframe><iframe id=ownframe src="inner.html"></iframe>
<div id=host><template shadowrootmode=open><b>shadow</b></template></div>`,
        },
        { path: 'style.css', mimetype: 'text/css', body: '#b { width: 6px }' },
        { path: 'inner.html', mimetype: 'text/html', body: '<p>own</p>' },
        {
          path: 'dot.svg',
          mimetype: 'image/svg+xml',
          body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
        },
      ],
    });
    const address = bench.replay.addresses(id).outputs.find((output) => output.path === 'singlefile.html')!.url;
    const fallback = bench.replay
      .addresses(id)
      .outputs.find((output) => output.path === 'singlefile.html')!.fallback_url!;
    const fallbackPage = await open(bench.fallbackFrameOf(fallback));
    const fallbackFrame = await fallbackPage.waitForFrame((one) => one.url() === fallback);
    expect(
      await fallbackFrame.evaluate(() => [
        document.querySelector('#b')!.getBoundingClientRect().width,
        document.querySelector<HTMLImageElement>('#own')!.naturalWidth,
      ]),
    ).toEqual([6, 9]);
    const page = await open(bench.frameOf(address));
    const frame = await page.waitForFrame((one) => one.url() === address);
    const seen = await frame.evaluate(() => {
      const size = (element: string) => document.querySelector<HTMLElement>(element)!.getBoundingClientRect();
      const inside = (element: string) =>
        document.querySelector<HTMLIFrameElement>(element)!.contentDocument?.body.innerText;
      return {
        styles: [size('#a').width, size('#a').height, size('#b').width],
        pictures: ['#data', '#own'].map((element) => document.querySelector<HTMLImageElement>(element)!.naturalWidth),
        noscript: document.querySelector('#n')?.textContent,
        shadow: document.querySelector('#host')!.shadowRoot?.textContent,
        frames: [inside('#srcdoc'), inside('#ownframe')],
      };
    });
    expect(seen).toEqual({
      styles: [7, 8, 6],
      pictures: [9, 9],
      noscript: 'n',
      shadow: 'shadow',
      frames: ['inner', 'own'],
    });
  });

  test('a link in the frame opens the library at that address, a fragment stays on the page', async () => {
    const id = await keepPage(
      '<!doctype html><a id=out href="/next?a=b#c">out</a> <a id=in href="#low">in</a><p style="height:5000px"></p><p id=low>low</p>',
      { url: 'https://site.example/article' },
    );
    const { page, frame } = await openFramed(id);
    await (await frame.$('#in'))!.click();
    await frame.waitForFunction(() => scrollY > 1000);
    await frame.evaluate(() => scrollTo(0, 0));
    await Promise.all([page.waitForNavigation(), (await frame.$('#out'))!.click()]);
    expect(page.url()).toBe(
      `http://holdfast.localhost:${bench.port}/web/${encodeURIComponent('https://site.example/next?a=b#c')}`,
    );
    expect(await page.$eval('#place', (place) => place.textContent)).toBe('/web/https://site.example/next?a=b#c');
  });

  test('an attacking page does nothing, alone and in the frame', async () => {
    const to = `http://127.0.0.1:${canary.port}`;
    const before = canary.connections();
    const id = await keepPage(`<!doctype html><base href="${to}/"><title>calm</title>
<form id=form action="${to}/form" target=_top><input name=q value=1><button id=submit>send</button></form>
<form method=post action="http://127.0.0.1:${bench.port}/api/v1/secret"><button id=api>send</button></form>
<a id=script href="javascript:document.title='loud';open('${to}/opened')">x</a>
<a id=opener href="javascript:navigator.serviceWorker.register('worker.js')" target=_blank>y</a>
<img src=x onerror="document.title='loud'"><script>document.title = 'loud'; top.location = '${to}/top'; open('${to}/open')</script>
<svg><a id=svg href="${to}/svg"><animate attributeName=href to="${to}/animated" fill=freeze /><text y=20>svg</text></a></svg>
<iframe src="javascript:parent.document.title='loud'"></iframe><iframe srcdoc="<script>top.document.title='loud'</script>"></iframe>`);
    const framed = await openFramed(id);
    const alone = await open(bench.addressOf(id));
    for (const { page, frame } of [framed, { page: alone, frame: alone.mainFrame() }]) {
      const address = page.url();
      for (const button of ['#submit', '#api', '#script', '#opener']) {
        await page.bringToFront();
        await (await frame.$(button))!.click();
      }
      expect(await frame.evaluate(() => document.title)).toBe('calm');
      expect(page.url()).toBe(address);
    }
    await framed.page.bringToFront();
    await Promise.all([framed.page.waitForNavigation(), (await framed.frame.$('#svg text'))!.click()]);
    expect(framed.page.url()).toBe(`http://holdfast.localhost:${bench.port}/web/${encodeURIComponent(`${to}/svg`)}`);
    expect(canary.connections()).toBe(before);
    expect(bench.uiRequests).not.toContain('POST /api/v1/secret');
  });

  test('no other site can frame a kept page', async () => {
    const id = await keepPage('<!doctype html><p>kept</p>');
    const site = await startPlainSite(`<iframe src="${bench.addressOf(id)}"></iframe>`);
    const texts = async (page: Page): Promise<string[]> =>
      Promise.all(page.frames().map((frame) => frame.evaluate(() => document.body.textContent ?? '')));
    expect(await texts((await openFramed(id)).page)).toContain('kept');
    const page = await open(site.address);
    expect(page.frames()).toHaveLength(2);
    expect(await texts(page)).not.toContain('kept');
    await site.close();
  });

  test('a PDF shows in the frame, also of the fallback port, and its actions reach nobody', async () => {
    const id = await bench.keep({
      outputs: [
        {
          plugin: 'pdf',
          path: 'output.pdf',
          mimetype: 'application/pdf',
          body: redPdf(`http://127.0.0.1:${canary.port}/`),
        },
      ],
    });
    const before = canary.connections();
    for (const address of [bench.frameOf(bench.addressOf(id)), bench.fallbackFrameOf(bench.fallbackOf(id))]) {
      const page = await browser.newPage();
      // Firefox's viewer never says that it has loaded.
      await page.goto(address, { waitUntil: [] });
      await vi.waitFor(async () => expect(await redShare(page)).toBeGreaterThan(0.02), {
        timeout: 30_000,
        interval: 200,
      });
    }
    expect(canary.connections()).toBe(before);
  });

  describe('with its scripts on, in the frame of the UI,', () => {
    const scripts = '&scripts=1';

    test('a page runs, keeps things for itself and reaches neither UI, API, other pages nor strangers', async () => {
      const other = await keepPage(
        '<!doctype html><script>localStorage.setItem("of", "other"); document.cookie = "of=other"</script>',
      );
      await openFramed(other, scripts);
      const id = await keepPage(attemptsPage(canary.port, bench.port, bench.addressOf(other)));
      const before = canary.connections();
      const { page, frame } = await openFramed(id, scripts);
      await frame.waitForFunction(() => document.body.dataset['done'] === 'yes');
      const found = await frame.evaluate(() => JSON.parse(document.body.dataset['found']!) as Record<string, string>);
      expect(found).toMatchObject({ storage: 'own', origin: new URL(bench.addressOf(id)).origin });
      // Chromium keeps no cookies of frames at all.
      expect(['', 'own=1']).toContain(found['cookie']);
      const refused = Object.entries(found).filter(([attempt]) => !['storage', 'cookie', 'origin'].includes(attempt));
      expect(refused.length).toBeGreaterThan(12);
      for (const [attempt, result] of refused) expect({ attempt, result }).toEqual({ attempt, result: 'refused' });
      expect(page.url()).toBe(bench.frameOf(bench.addressOf(id) + scripts));
      expect(canary.requests()).toEqual([]);
      expect(canary.connections()).toBe(before);
      expect(bench.uiRequests).not.toContain('GET /api/v1/secret');
    });

    test('a page that sends itself elsewhere gets nowhere', async () => {
      const id = await keepPage(
        `<!doctype html><p>here</p><script>location = 'http://127.0.0.1:${canary.port}/moved'</script>`,
      );
      const page = await browser.newPage();
      await page.goto(bench.frameOf(bench.addressOf(id) + scripts));
      await page.waitForFrame((frame) => frame !== page.mainFrame() && !frame.url().includes('singlefile.html'));
      expect(canary.requests()).toEqual([]);
    });

    test('opened in a tab the page is refused and no script runs', async () => {
      const id = await keepPage('<!doctype html><title>off</title><script>document.title = "on"</script>');
      const page = await browser.newPage();
      const response = await page.goto(bench.addressOf(id) + scripts);
      expect(response?.status()).toBe(403);
      expect(await page.evaluate(() => document.title)).not.toBe('on');
    });
  });
});
