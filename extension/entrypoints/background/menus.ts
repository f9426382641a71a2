import { addOnCompanion } from '../../companion-client/collection-requests.ts';
import { CompanionFailure } from '../../companion-client/companion-failure.ts';
import { browser } from '../../platform/browser.ts';
import type { Menus, Tabs } from '../../platform/browser.ts';
import { notify } from '../../platform/features.ts';
import { allSitesAllowed } from '../../platform/permissions.ts';
import type { Doors } from './doors.ts';
import { saveLink } from './save-link.ts';

const items = [
  { id: 'save-page', title: 'Save page', contexts: ['page', 'frame', 'selection', 'image'] },
  { id: 'save-link', title: 'Save link', contexts: ['link'] },
  { id: 'save-link-on-companion', title: 'Save link on the companion', contexts: ['link'] },
] as const;

/** Makes the entries anew; the browser remembers them between its own restarts. */
export async function createMenus(): Promise<void> {
  await browser.contextMenus.removeAll();
  for (const item of items) browser.contextMenus.create({ ...item, contexts: [...item.contexts] });
}

export async function menuClicked(opened: Promise<Doors>, info: Menus.OnClickData, tab: Tabs.Tab | undefined): Promise<void> {
  if (info.menuItemId === 'save-page' && tab?.id !== undefined) {
    await (await opened).keeper.keep(tab.id, { unlessKept: false, background: false, closeTab: false });
  }
  if (info.menuItemId === 'save-link' && info.linkUrl) {
    // Asked for at once: the click counts as the person's consent only for a moment.
    const allowed = (await allSitesAllowed()) || (await browser.permissions.request({ origins: ['<all_urls>'] }));
    if (allowed) await saveLink(await opened, info.linkUrl);
    else await notify('save-link', 'The link was not kept', 'Holdfast needs your permission to read that site.');
  }
  if (info.menuItemId === 'save-link-on-companion' && info.linkUrl) await addLink(await opened, info.linkUrl);
}

async function addLink(doors: Doors, url: string): Promise<void> {
  try {
    await addOnCompanion(doors.client, url);
  } catch (error) {
    if (!(error instanceof CompanionFailure)) throw error;
    await notify('save-link-on-companion', 'The link was not kept', error.message);
  }
}
