import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { hookEnvironment } from '../../shared/plugin-contract/environment.ts';
import { CdpConnection, type CdpSession } from './cdp.ts';
import { HookFailure } from './context.ts';
import type { Hook } from './define-hook.ts';

/** What `chrome_navigate` found out; written also when the page did not load. */
export const navigationSchema = z.object({
  url: z.string(),
  finalUrl: z.string(),
  status: z.number().nullable(),
  mimeType: z.string().nullable(),
  title: z.string(),
  /** Milliseconds from the request to the quiet page. */
  elapsed: z.number(),
  error: z.string().nullable(),
  timestamp: z.string(),
});
export type Navigation = z.infer<typeof navigationSchema>;

export interface Tab {
  session: CdpSession;
  targetId: string;
  /** Lets go of the tab; it stays open for the other hooks. */
  close(): void;
}

/** Address of the browser that was lent to the run, or a HookFailure. */
export async function requireBrowserAddress(hook: Hook): Promise<string> {
  const given = hook.text(hookEnvironment.chromeCdpUrl);
  if (given !== '') return given;
  const file = await hook.findSibling('chrome', 'cdp_url.txt');
  if (file) return (await readFile(file, 'utf8')).trim();
  throw new HookFailure(
    'there is no browser to work with: CHROME_CDP_URL is not set and chrome/cdp_url.txt is not there',
  );
}

/** Connects to the tab that the chrome plugin opened for this snapshot, or throws a HookFailure. */
export async function connectTab(hook: Hook): Promise<Tab> {
  const file = await hook.findSibling('chrome', 'target_id.txt');
  if (!file) throw new HookFailure('the browser has no tab for this page: chrome/target_id.txt is not there');
  const targetId = (await readFile(file, 'utf8')).trim();
  const connection = await CdpConnection.connect(await requireBrowserAddress(hook), hook.signal);
  try {
    const { sessionId } = await connection.session().send('Target.attachToTarget', { targetId, flatten: true });
    return { session: connection.session(sessionId), targetId, close: () => connection.close() };
  } catch (error) {
    connection.close();
    throw new HookFailure(`the tab of this page is gone: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** How the page loaded, or undefined when the browser was not sent there. */
export async function readNavigation(hook: Hook): Promise<Navigation | undefined> {
  const file = await hook.findSibling('chrome', 'navigation.json');
  return file === undefined ? undefined : navigationSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}

/** Connects to the tab only when the page in it is the page that was asked for. */
export async function connectLoadedTab(hook: Hook): Promise<Tab & { navigation: Navigation }> {
  const navigation = await readNavigation(hook);
  if (!navigation) throw new HookFailure('the page was not opened in the browser: chrome/navigation.json is not there');
  if (navigation.error !== null) throw new HookFailure(`the page did not load: ${navigation.error}`);
  return { ...(await connectTab(hook)), navigation };
}
