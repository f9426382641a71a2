import { CdpConnection, type CdpSession } from './cdp.ts';
import { HookFailure } from './context.ts';
import type { Hook } from './define-hook.ts';
import { evaluateApart } from './evaluate.ts';
import type { HtmlSource } from './html-source.ts';
import { requireBrowserAddress } from './tab.ts';

/** Nothing but what lies in the copy itself. */
const copyPolicy = [
  "default-src 'none'",
  'img-src data: blob:',
  'media-src data: blob:',
  'font-src data: blob:',
  "style-src 'unsafe-inline' data:",
  'frame-src data: blob:',
  "form-action 'none'",
].join('; ');

/** Nobody listens on the discard port of this machine: what the context asks for goes nowhere. */
const nowhere = 'http://127.0.0.1:9';

const loadTimeoutMs = 30_000;

/**
 * Shows the kept copy in a browser context of its own, under the page's address so that links keep their targets, with
 * the network refused three times over: every request but the copy is failed, the policy allows only what the copy
 * holds, and the context's proxy is the one that refuses everything. Scripts do not run.
 */
export async function withCopyTab<T>(hook: Hook, copy: HtmlSource, work: (page: CdpSession) => Promise<T>): Promise<T> {
  const connection = await CdpConnection.connect(await requireBrowserAddress(hook), hook.signal);
  try {
    const browser = connection.session();
    const { browserContextId } = await browser.send('Target.createBrowserContext', {
      disposeOnDetach: true,
      proxyServer: nowhere,
      proxyBypassList: '<-loopback>',
    });
    const { targetId } = await browser.send('Target.createTarget', {
      url: 'about:blank',
      browserContextId,
      newWindow: true,
    });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const page = connection.session(sessionId);
    await showCopy(hook, page, copy);
    const result = await work(page);
    await browser.send('Target.disposeBrowserContext', { browserContextId });
    return result;
  } finally {
    connection.close();
  }
}

async function showCopy(hook: Hook, page: CdpSession, copy: HtmlSource): Promise<void> {
  let isShown = false;
  page.on('Fetch.requestPaused', ({ requestId, request, resourceType }) => {
    const isCopy = !isShown && resourceType === 'Document';
    isShown ||= isCopy;
    const answer = isCopy
      ? fulfill(page, requestId, copy)
      : page.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    answer.catch((error: unknown) => hook.log(`${request.url}: ${String(error)}`));
  });
  await page.send('Page.enable');
  await page.send('Emulation.setScriptExecutionDisabled', { value: true });
  await page.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  const loaded = page.waitFor('Page.loadEventFired', loadTimeoutMs);
  const [{ errorText }] = await Promise.all([
    page.send('Page.navigate', { url: addressFor(hook.url) }),
    loaded.catch(() => undefined),
  ]);
  if (errorText) throw new HookFailure(`the copy could not be shown: ${errorText}`);
  await loaded;
  await evaluateApart(page, picturesAndFonts);
}

/** A browser page or a local file would be shown itself: the browser does not ask us for those. */
function addressFor(url: string): string {
  return /^https?:/i.test(url) ? url : 'http://copy.invalid/';
}

/** Pictures of a data: address are decoded after the load event. */
const picturesAndFonts = `Promise.all([
  document.fonts.ready,
  ...[...document.images].map((image) => image.decode().catch(() => undefined)),
]).then(() => undefined)`;

async function fulfill(page: CdpSession, requestId: string, { html }: HtmlSource): Promise<void> {
  await page.send('Fetch.fulfillRequest', {
    requestId,
    responseCode: 200,
    responseHeaders: [
      { name: 'Content-Type', value: 'text/html; charset=utf-8' },
      { name: 'Content-Security-Policy', value: copyPolicy },
    ],
    body: Buffer.from(html).toString('base64'),
  });
}
