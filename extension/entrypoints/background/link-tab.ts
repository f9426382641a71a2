import { runInPage } from '../../platform/scripting.ts';
import { browser } from '../../platform/browser.ts';
import type { Tabs } from '../../platform/browser.ts';
import { withDeadline } from '../../platform/deadline.ts';

/** Longest wait for a page in the background to be loaded, and then to be quiet. */
const LOAD_MS_MAX = 20_000;
const QUIET_MS_MAX = 8_000;
const QUIET_MS = 800;
const CLOSED = 'Interrupted: its tab was closed before the page was loaded.';
const NO_PAGE = 'The link leads to no page: the site gave a download, or did not answer in time.';

/**
 * Waits until the page of a link is loaded in its tab and quiet; one that never is, is taken as it stands.
 * @throws Error with a sentence when there is no page, or when the person stopped it
 */
export async function settleLink(tabId: number, signal: AbortSignal): Promise<void> {
  await orStopped(withDeadline(loaded(tabId), LOAD_MS_MAX, 'still loading'), signal);
  const tab = await browser.tabs.get(tabId).catch(() => undefined);
  if (!tab) throw new Error(CLOSED);
  if (!/^https?:/.test(tab.url ?? '')) throw new Error(NO_PAGE);
  await orStopped(withDeadline(runInPage(tabId, waitQuiet, [QUIET_MS]), QUIET_MS_MAX, 'still busy'), signal);
}

/** Whatever came of the wait, keeping the page says what was missing. */
async function orStopped(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  await Promise.race([wait.catch(() => undefined), stopped]);
  signal.throwIfAborted();
}

function loaded(tabId: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      browser.tabs.onUpdated.removeListener(updated);
      browser.tabs.onRemoved.removeListener(removed);
      resolve();
    };
    const updated = (id: number, change: Tabs.OnUpdatedChangeInfoType) => {
      if (id === tabId && change.status === 'complete') finish();
    };
    const removed = (id: number) => {
      if (id === tabId) finish();
    };
    browser.tabs.onUpdated.addListener(updated);
    browser.tabs.onRemoved.addListener(removed);
    void browser.tabs.get(tabId).then((tab) => {
      if (tab.status === 'complete' && tab.url !== 'about:blank') finish();
    }, finish);
  });
}

/** Runs in the page: resolves when neither the document changed nor a resource came for a while. */
function waitQuiet(quietMs: number): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(done, quietMs);
    const restart = () => {
      clearTimeout(timer);
      timer = setTimeout(done, quietMs);
    };
    const changes = new MutationObserver(restart);
    const resources = new PerformanceObserver(restart);
    changes.observe(document, { childList: true, subtree: true });
    resources.observe({ type: 'resource' });
    function done(): void {
      changes.disconnect();
      resources.disconnect();
      resolve();
    }
  });
}
