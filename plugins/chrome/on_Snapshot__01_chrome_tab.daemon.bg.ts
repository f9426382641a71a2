import { CdpConnection, type CdpSession } from '../kit/cdp.ts';
import { HookFailure, succeeded } from '../kit/context.ts';
import { defineHook, type Hook } from '../kit/define-hook.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { requireBrowserAddress } from '../kit/tab.ts';
import { untilStopped } from '../kit/until-stopped.ts';

/** Opens the one tab of this snapshot, keeps it usable while other hooks work in it, closes it at the end. */
export const main = defineHook(async (hook) => {
  const address = await requireBrowserAddress(hook);
  // The connection must outlive the polite signal, which is when the tab is closed.
  const connection = await CdpConnection.connect(address, new AbortController().signal);
  try {
    const browser = connection.session();
    // A window of its own, so that the page is never in the background and lays out and animates as in front.
    const { targetId } = await browser.send('Target.createTarget', { url: 'about:blank', newWindow: true });
    const { sessionId } = await browser.send('Target.attachToTarget', { targetId, flatten: true });
    const tab = connection.session(sessionId);
    const gone = watchEnd(browser, tab);
    await prepareTab(hook, browser, tab);
    await hook.write('cdp_url.txt', `${address}\n`);
    await hook.write('url.txt', `${hook.url}\n`);
    await hook.write('target_id.txt', `${targetId}\n`);
    hook.ready();

    const end = await Promise.race([untilStopped(hook.signal).then(() => 'stopped' as const), gone]);
    if (end === 'crashed') throw new HookFailure('the page made its tab crash');
    if (end === 'stopped') await browser.send('Target.closeTarget', { targetId });
    return succeeded('target_id.txt');
  } finally {
    connection.close();
  }
});

async function prepareTab(hook: Hook, browser: CdpSession, tab: CdpSession): Promise<void> {
  const [width = 1440, height = 2000] = hook.text('CHROME_RESOLUTION', '1440,2000').split(/[,x]/).map(Number);
  await tab.send('Page.enable');
  await tab.send('Inspector.enable');
  await tab.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
  await tab.send('Emulation.setUserAgentOverride', { userAgent: await userAgent(hook, browser) });
  await tab.send('Page.setDownloadBehavior', { behavior: 'deny' });
  // Nobody is there to answer; an open dialog would hold the page for ever.
  tab.on('Page.javascriptDialogOpening', ({ type, message }) => {
    hook.log(`the page opened a dialog (${type}): ${message}`);
    tab
      .send('Page.handleJavaScriptDialog', { accept: type === 'beforeunload' })
      .catch((error: unknown) => hook.log(`the dialog had gone: ${String(error)}`));
  });
}

/** Sites turn away what calls itself headless. */
async function userAgent(hook: Hook, browser: CdpSession): Promise<string> {
  const named = hook.text('CHROME_USER_AGENT') || hook.text('USER_AGENT');
  if (named !== '') return named;
  const version = await browser.send('Browser.getVersion');
  return version.userAgent.replace('Headless', '');
}

function watchEnd(browser: CdpSession, tab: CdpSession): Promise<'crashed' | 'closed'> {
  return new Promise((resolve) => {
    tab.on('Inspector.targetCrashed', () => resolve('crashed'));
    browser.on('Target.detachedFromTarget', () => resolve('closed'));
  });
}

await runAsProgram(import.meta.url, main);
