import { browser } from './browser.ts';

/** Whether the extension may read every site: frames of other hosts, their pictures, links opened in the background. */
export function allSitesAllowed(): Promise<boolean> {
  return browser.permissions.contains({ origins: ['<all_urls>'] });
}

/** Whether everything optional is granted. */
export async function everythingAllowed(): Promise<boolean> {
  const manifest = browser.runtime.getManifest() as { optional_permissions?: string[] };
  const permissions = (manifest.optional_permissions ?? []) as never[];
  return browser.permissions.contains({ origins: ['<all_urls>'], permissions });
}
