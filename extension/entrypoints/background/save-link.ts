import { runInPage } from '../../platform/scripting.ts';
import { browser } from '../../platform/browser.ts';
import type { Tabs } from '../../platform/browser.ts';
import { withDeadline } from '../../platform/deadline.ts';
import type { Doors } from './doors.ts';

/** Longest wait for a page in the background to be loaded, and then to be quiet. */
const LOAD_MS_MAX = 20_000;
const QUIET_MS_MAX = 8_000;
const QUIET_MS = 800;
const NO_PAGE = 'The link leads to no page: the site gave a download, or did not answer in time.';

/**
 * Keeps the page behind a link as this browser sees it, logged in: a tab in the background, its copies, no picture
 * (nobody sees it), and the tab is closed when the bytes are on the disk.
 * @throws Error with a sentence when nothing was kept at all
 */
export async function saveLink(doors: Doors, url: string): Promise<void> {
  const { id: tabId } = await browser.tabs.create({ url, active: false });
  if (tabId === undefined) return;
  try {
    await settle(tabId);
    await doors.keeper.keep(tabId, { unlessKept: false, closeTab: true });
  } catch (error) {
    // From the beginning of a capture on the keeper closes the tab; there was none.
    await browser.tabs.remove(tabId).catch(() => undefined);
    throw error;
  }
}

async function settle(tabId: number): Promise<void> {
  await withDeadline(loaded(tabId), LOAD_MS_MAX, 'still loading').catch(() => {
    // A page that never finishes is kept as it stands.
  });
  const tab = await browser.tabs.get(tabId).catch(() => undefined);
  if (!/^https?:/.test(tab?.url ?? '')) throw new Error(NO_PAGE);
  await withDeadline(runInPage(tabId, waitQuiet, [QUIET_MS]), QUIET_MS_MAX, 'still busy').catch(() => {
    // The same, or a page that cannot be asked; keeping it says what was missing.
  });
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
