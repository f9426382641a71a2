import { addOnCompanion } from '../../companion-client/collection-requests.ts';
import { browser } from '../../platform/browser.ts';
import type { Menus, Tabs } from '../../platform/browser.ts';
import { notify } from '../../platform/features.ts';
import { requestAllSites } from '../../platform/permissions.ts';
import type { Doors } from './doors.ts';

/** Nothing else can be kept; without the patterns the entries would also stand beside `mailto:` links. */
const webLinks = ['http://*/*', 'https://*/*'];

const items: Menus.CreateCreatePropertiesType[] = [
  { id: 'save-page', title: 'Save page', contexts: ['page', 'frame', 'selection', 'image'] },
  { id: 'save-link', title: 'Save link', contexts: ['link'], targetUrlPatterns: webLinks },
  {
    id: 'save-link-on-companion',
    title: 'Save link on the companion',
    contexts: ['link'],
    targetUrlPatterns: webLinks,
  },
];

/** Makes the entries anew; the browser remembers them between its own restarts. */
export async function createMenus(): Promise<void> {
  await browser.contextMenus.removeAll();
  for (const item of items) browser.contextMenus.create(item);
}

export async function menuClicked(
  opened: Promise<Doors>,
  info: Menus.OnClickData,
  tab: Tabs.Tab | undefined,
): Promise<void> {
  const { menuItemId, linkUrl } = info;
  if (menuItemId === 'save-page' && tab?.id !== undefined) await savePage(await opened, tab.id);
  if (!linkUrl) return;
  if (menuItemId === 'save-link') {
    // Asked for at once: the click counts as the person's consent only for a moment.
    const allowed = await requestAllSites();
    await tellFailure('The link was not kept', async () => {
      if (!allowed) throw new Error('Holdfast needs your permission to read that site.');
      await (await opened).keeper.keepLink(linkUrl);
    });
  }
  if (menuItemId === 'save-link-on-companion') {
    await tellFailure('The link was not kept', async () => addOnCompanion((await opened).client, linkUrl));
  }
}

/** Keeps the page in a tab without the popup: by menu or keyboard. */
export async function savePage(doors: Doors, tabId: number): Promise<void> {
  await tellFailure('The page was not kept', () => doors.keeper.keep(tabId, { unlessKept: false, closeTab: false }));
}

/** No page of ours is open to say it. */
async function tellFailure(title: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await notify(`failed-${crypto.randomUUID()}`, title, error instanceof Error ? error.message : String(error));
  }
}
