import type { Outbox } from '../../outbox/outbox.ts';
import { browser } from '../../platform/browser.ts';

export const outboxAlarm = 'outbox';

/** Browsers do not wake an extension sooner than this. */
const ALARM_MS_MIN = 30_000;

/**
 * Has the browser wake us when something is to be sent, also after the service worker was stopped. While a send is
 * running the alarm stands too: it is what goes on when the worker dies in the middle.
 */
export async function scheduleWake(outbox: Outbox): Promise<void> {
  const due = await outbox.nextDue();
  if (due === undefined) {
    await browser.alarms.clear(outboxAlarm);
    return;
  }
  const when = Math.max(due, Date.now() + ALARM_MS_MIN);
  const current = await browser.alarms.get(outboxAlarm);
  // Pushing the alarm on with every change would keep it from ever ringing.
  if (current && current.scheduledTime >= Date.now() && current.scheduledTime <= when + ALARM_MS_MIN) return;
  await browser.alarms.create(outboxAlarm, { when });
}
