import type { CdpSession } from './cdp.ts';
import { HookFailure } from './context.ts';
import { withCopyTab } from './copy-tab.ts';
import type { Hook } from './define-hook.ts';
import { findHtmlSource } from './html-source.ts';
import { connectLoadedTab, readNavigation } from './tab.ts';

export interface RenderedPage {
  session: CdpSession;
  /** Name of the copy that is shown, such as `singlefile/singlefile.html`; undefined for the live tab. */
  copyName: string | undefined;
}

/**
 * The page as a browser shows it. A page that came from the user's browser is shown from the kept copy, so that every
 * output shows what the user saw; otherwise it is the live tab, and the copy where there is no tab.
 */
export async function withRenderedPage<T>(hook: Hook, work: (page: RenderedPage) => Promise<T>): Promise<T> {
  const copy = await findHtmlSource(hook);
  const navigation = await readNavigation(hook);
  if (copy && (hook.isFromBrowser || !navigation)) {
    return withCopyTab(hook, copy, (session) => work({ session, copyName: copy.name }));
  }
  if (!navigation) throw new HookFailure('there is neither a copy of the page nor a tab that shows it');
  const tab = await connectLoadedTab(hook);
  try {
    return await work({ session: tab.session, copyName: undefined });
  } finally {
    tab.close();
  }
}
