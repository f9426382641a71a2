import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type BrowserBench, browserBench, hookBench, openPage } from '../../tests/helpers/hook-bench.ts';
import { startSite, type TestSite } from '../../tests/helpers/site.ts';
import { startAnswers, type Answers } from '../../tests/helpers/answers.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let site: TestSite;
let answers: Answers;
let browser: BrowserBench;
beforeAll(async () => {
  site = await startSite();
  answers = await startAnswers();
  browser = await browserBench();
});
afterAll(async () => {
  await browser.close();
  await site.stop();
  await answers.stop();
});

/** Opens an address and answers what the navigation said. */
async function visit(url: string) {
  const bench = hookBench(await browser.online());
  const { tab, navigation } = await openPage(bench, url, {});
  const end = await tab.end();
  return { bench, navigation, end };
}

describe('the chrome plugin', () => {
  it('opens the page and leaves the files other hooks look for', async () => {
    const { bench, navigation, end } = await visit(site.a('/article.html'));
    expect(navigation.record).toMatchObject({ status: 'succeeded', output_str: 'navigation.json' });
    expect(JSON.parse(bench.read('chrome/navigation.json'))).toMatchObject({
      url: site.a('/article.html'),
      finalUrl: site.a('/article.html'),
      status: 200,
      mimeType: 'text/html',
      error: null,
    });
    expect(bench.read('chrome/target_id.txt')).toMatch(/^[0-9A-F]{32}\n$/);
    expect(bench.read('chrome/cdp_url.txt')).toMatch(/^ws:\/\/127\.0\.0\.1:\d+\//);
    expect(end.process.exitCode).toBe(0);
    expect(end.record).toMatchObject({ status: 'succeeded' });
  });

  it('launches nothing when a browser is lent, and says so when none is', async () => {
    const bench = hookBench();
    const hook = 'chrome/on_Snapshot__00_chrome_launch.daemon.bg';
    const lent = await bench.run(hook, site.a('/'), { CHROME_CDP_URL: 'ws://127.0.0.1:9/devtools/browser/x' });
    expect(lent.process.stdout.split('\n')[0]).toBe('ready');
    expect(bench.read('chrome/cdp_url.txt')).toBe('ws://127.0.0.1:9/devtools/browser/x\n');
    const none = await hookBench().run(hook, site.a('/'));
    expect([none.process.exitCode, none.record?.output_str]).toEqual([1, expect.stringContaining('CHROME_CDP_URL')]);
  });

  it('follows redirects of the server and of scripts to where they end', async () => {
    answers.set('/start', (_request, response) => response.writeHead(302, { Location: '/middle' }).end());
    answers.set('/middle', (_request, response) => answers.html(response, '<script>location.replace("/end")</script>'));
    answers.set('/end', (_request, response) => answers.html(response, '<title>The end</title>'));
    const { bench } = await visit(answers.url('/start'));
    expect(JSON.parse(bench.read('chrome/navigation.json'))).toMatchObject({
      finalUrl: answers.url('/end'),
      title: 'The end',
      status: 200,
    });
  });

  it('waits for what the page adds late, and not for a page that never rests', async () => {
    answers.set('/late', (_request, response) =>
      answers.html(
        response,
        '<title>early</title><script>setTimeout(async () => { await fetch("/slow"); document.title = "late" }, 200)</script>',
      ),
    );
    answers.set('/slow', (_request, response) => void setTimeout(() => response.end('x'), 400));
    answers.set('/restless', (_request, response) =>
      answers.html(
        response,
        '<title>restless</title><script>setInterval(() => { document.body.append("x") }, 20)</script><body>',
      ),
    );
    const late = await visit(answers.url('/late'));
    expect(JSON.parse(late.bench.read('chrome/navigation.json'))).toMatchObject({ title: 'late' });
    const bench = hookBench({ ...(await browser.online()), CHROME_SETTLE_TIMEOUT: '1' });
    const { tab, navigation } = await openPage(bench, answers.url('/restless'), {});
    await tab.end();
    expect(navigation.record).toMatchObject({ status: 'succeeded' });
    expect(navigation.process.stderr).toContain('the page did not become quiet');
  });

  it.each([
    ['http://nowhere.invalid/', /^nowhere\.invalid could not be found/],
    ['https://nowhere.invalid/', /^nowhere\.invalid could not be found/],
    ['http://127.0.0.1/', /^127\.0\.0\.1 belongs to this machine, and private addresses are not fetched/],
    ['https://[::1]/', /^::1 belongs to this machine/],
    ['http://2130706433:8080/', /^127\.0\.0\.1 belongs to this machine/],
  ])('fails with a clear sentence for %s', async (url, sentence) => {
    const { bench, navigation } = await visit(url);
    expect(navigation.process.exitCode).toBe(1);
    expect(navigation.record?.status).toBe('failed');
    expect(navigation.record?.output_str).toMatch(sentence);
    expect(JSON.parse(bench.read('chrome/navigation.json')).error).toMatch(sentence);
  });

  it('refuses a redirect to a private address', async () => {
    answers.set('/trap', (_request, response) =>
      response.writeHead(302, { Location: `http://127.0.0.1:${answers.port}/secret` }).end(),
    );
    const { navigation } = await visit(answers.url('/trap'));
    expect(navigation.record?.output_str).toMatch(/^127\.0\.0\.1 belongs to this machine/);
    expect(answers.requests).not.toContain('/secret');
  });

  it('says that nothing answers, that a file is no page, and keeps the page of a 404', async () => {
    const closed = await startAnswers();
    await closed.stop();
    expect((await visit(closed.url('/'))).navigation.record?.output_str).toMatch(/nothing answers at .* on port/);
    answers.set('/file.zip', (_request, response) =>
      response.writeHead(200, { 'Content-Type': 'application/zip' }).end('PK'),
    );
    expect((await visit(answers.url('/file.zip'))).navigation.record?.output_str).toContain('a file to download');
    const gone = await visit(answers.url('/gone'));
    expect(gone.navigation.record).toMatchObject({ status: 'noresults', output_str: expect.stringContaining('404') });
    expect(gone.navigation.process.exitCode).toBe(0);
  });

  it('is not held by a dialog', async () => {
    answers.set('/dialog', (_request, response) =>
      answers.html(response, '<script>alert("stop"); document.title = confirm("go?")</script>'),
    );
    const { bench, end } = await visit(answers.url('/dialog'));
    expect(JSON.parse(bench.read('chrome/navigation.json')).title).toBe('false');
    expect(end.process.stderr).toContain('the page opened a dialog (alert): stop');
  });
});
