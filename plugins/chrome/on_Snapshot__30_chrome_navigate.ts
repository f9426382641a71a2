import { CdpError } from '../kit/cdp.ts';
import { HookFailure, noResults, type Outcome, succeeded } from '../kit/context.ts';
import { defineHook, type Hook } from '../kit/define-hook.ts';
import { evaluateApart } from '../kit/evaluate.ts';
import { waitForQuiet, watchNetwork } from '../kit/quiet.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { connectTab, type Navigation, type Tab } from '../kit/tab.ts';
import { explainLoadFailure } from './load-failure.ts';
import { watchDocument } from '../kit/watch-document.ts';
import { walkThroughPage } from './walk-through-page.ts';

const quietMs = 500;

/** Sends the tab to the page and waits until page and network are quiet, within an upper bound. */
export const main = defineHook(async (hook) => {
  const tab = await connectTab(hook);
  const start = performance.now();
  const timestamp = new Date().toISOString();
  try {
    const page = await load(hook, tab);
    const navigation: Navigation = {
      ...page,
      url: hook.url,
      elapsed: Math.round(performance.now() - start),
      timestamp,
    };
    await hook.write('navigation.json', `${JSON.stringify(navigation, undefined, 2)}\n`);
    return toOutcome(navigation);
  } finally {
    tab.close();
  }
});

function toOutcome(navigation: Navigation): Outcome {
  if (navigation.error !== null) throw new HookFailure(navigation.error);
  if (navigation.status !== null && navigation.status >= 400) {
    return noResults(`the site answered ${navigation.status}; its page was kept as it is`);
  }
  return succeeded('navigation.json');
}

type LoadedPage = Omit<Navigation, 'url' | 'elapsed' | 'timestamp'>;

async function load(hook: Hook, { session }: Tab): Promise<LoadedPage> {
  await session.send('Network.enable');
  await session.send('Page.enable');
  const document = watchDocument(session);
  const network = watchNetwork(session);
  const timeoutMs = hook.number('CHROME_PAGELOAD_TIMEOUT', 60) * 1000;
  const loaded = session.waitFor('Page.loadEventFired', timeoutMs).then(
    () => true,
    () => false, // Too slow: what there is by then is kept.
  );
  const { errorText, isDownload } = await session.send('Page.navigate', { url: hook.url });
  const response = document.answers().at(-1);
  const failure =
    isDownload === true
      ? 'the address leads to a file to download, not to a page'
      : await explainLoadFailure(hook, document.lastUrl() ?? hook.url, errorText, response);
  if (failure !== undefined) return failedPage(hook, failure);

  if (!(await loaded)) hook.log(`the page was still loading after ${timeoutMs / 1000} s`);
  const settle = { quietMs, maxMs: hook.number('CHROME_SETTLE_TIMEOUT', 10) * 1000 };
  await waitForQuiet(session, network, settle);
  await walkThroughPage(session);
  if (!(await waitForQuiet(session, network, settle))) hook.log('the page did not become quiet; it is kept as it is');
  network.stop();
  const [finalUrl, title] = await whereAndWhat(session);
  const last = document.answers().at(-1);
  return { finalUrl, title, status: last?.status ?? null, mimeType: last?.mimeType ?? null, error: null };
}

async function whereAndWhat(session: Tab['session']): Promise<[string, string]> {
  try {
    return await evaluateApart<[string, string]>(session, '[location.href, document.title]');
  } catch (error) {
    if (!(error instanceof CdpError)) throw error;
    // It went elsewhere at this very moment; the next document is as good.
    return evaluateApart<[string, string]>(session, '[location.href, document.title]');
  }
}

function failedPage(hook: Hook, error: string): LoadedPage {
  return { finalUrl: hook.url, title: '', status: null, mimeType: null, error };
}

await runAsProgram(import.meta.url, main);
