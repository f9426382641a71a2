import { runInPage } from '../../platform/scripting.ts';
import { browser } from '../../platform/browser.ts';
import type { Tabs } from '../../platform/browser.ts';
import { withDeadline } from '../../platform/deadline.ts';
import type { Doors } from './doors.ts';

/** Longest wait for a page in the background to be loaded, and then to be quiet. */
const LOAD_MS_MAX = 20_000;
const QUIET_MS_MAX = 8_000;
const QUIET_MS = 800;

/**
 * Keeps the page behind a link as this browser sees it, logged in: a tab in the background, its copies, no picture
 * (nobody sees it), and the tab is closed when the bytes are on the disk.
 */
export async function saveLink(doors: Doors, url: string): Promise<void> {
  const tab = await browser.tabs.create({ url, active: false });
  if (tab.id === undefined) return;
  await withDeadline(loaded(tab.id), LOAD_MS_MAX, 'still loading').catch(() => {
    // A page that never finishes is kept as it stands.
  });
  await withDeadline(runInPage(tab.id, waitQuiet, [QUIET_MS]), QUIET_MS_MAX, 'still busy').catch(() => {
    // The same, or a page that cannot be asked; keeping it says what was missing.
  });
  const captureId = await doors.keeper.keep(tab.id, { unlessKept: false, background: true, closeTab: true });
  await doors.keeper.whenTaken(captureId);
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
