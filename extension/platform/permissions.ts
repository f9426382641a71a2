import { browser } from './browser.ts';

/** Whether the extension may read every site: frames of other hosts, their pictures, links opened in the background. */
export function allSitesAllowed(): Promise<boolean> {
  return browser.permissions.contains({ origins: ['<all_urls>'] });
}

/**
 * Asks for every site, and tells whether it is allowed now. To be called first thing in a click: the request comes
 * before anything is awaited, because Firefox forgets the click at the first pause.
 */
export function requestAllSites(): Promise<boolean> {
  return browser.permissions.request({ origins: ['<all_urls>'] }).catch(() => allSitesAllowed());
}

/** Whether everything optional is granted. */
export async function everythingAllowed(): Promise<boolean> {
  const manifest = browser.runtime.getManifest() as { optional_permissions?: string[] };
  const permissions = (manifest.optional_permissions ?? []) as never[];
  return browser.permissions.contains({ origins: ['<all_urls>'], permissions });
}
