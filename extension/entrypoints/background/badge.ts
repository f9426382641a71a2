import type { Outbox } from '../../outbox/outbox.ts';
import { browser } from '../../platform/browser.ts';
import { chooseBadge } from './choose-badge.ts';

let shown = '';

/** Shows on the toolbar what is going on, also when no page of ours is open. */
export async function showBadge(outbox: Outbox): Promise<void> {
  const records = await outbox.store.list();
  const badge = chooseBadge(records, (id) => outbox.progressOf(id));
  const state = JSON.stringify(badge);
  if (state === shown) return;
  shown = state;
  await Promise.all([
    browser.action.setBadgeText({ text: badge.text }),
    browser.action.setBadgeBackgroundColor({ color: badge.color }),
    browser.action.setTitle({ title: badge.title }),
  ]);
}
