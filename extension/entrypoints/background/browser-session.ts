import { browser } from '../../platform/browser.ts';

const KEY = 'browserSession';

/** Names this run of the browser: ids of tabs mean nothing in another. Survives restarts of the service worker. */
export async function browserSession(): Promise<string> {
  const stored = (await browser.storage.session.get(KEY))[KEY];
  if (typeof stored === 'string') return stored;
  const made = crypto.randomUUID();
  await browser.storage.session.set({ [KEY]: made });
  return made;
}
