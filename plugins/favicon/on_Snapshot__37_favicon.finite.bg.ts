import { HookFailure, noResults, type Outcome, succeeded } from '../kit/context.ts';
import { defineHook, type Hook } from '../kit/define-hook.ts';
import { evaluateApart } from '../kit/evaluate.ts';
import { fetchThroughProxy } from '../kit/fetch-through-proxy.ts';
import { attribute, elementsOf } from '../kit/html-document.ts';
import { findHtmlSource } from '../kit/html-source.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { connectLoadedTab, readNavigation } from '../kit/tab.ts';
import { decodeDataUrl, isPicture } from './picture.ts';

const iconBytesMax = 2 * 1024 * 1024;

/** The icon of the page: the one in the kept copy, or fetched when the companion fetches the page. */
export const main = defineHook(async (hook) => {
  hook.ready();
  const fromCopy = await findIconInCopy(hook);
  if (fromCopy) return keep(hook, fromCopy, 'from the copy');
  if (hook.isFromBrowser && !(await readNavigation(hook))) {
    return noResults('the copy holds no icon');
  }
  for (const url of await iconAddresses(hook)) {
    const icon = await fetchIcon(hook, url);
    if (icon) return keep(hook, icon, url);
  }
  return noResults('the site has no icon');
});

async function keep(hook: Hook, icon: Buffer, source: string): Promise<Outcome> {
  await hook.write('favicon.ico', icon);
  return succeeded('favicon.ico', { source });
}

async function findIconInCopy(hook: Hook): Promise<Buffer | undefined> {
  const copy = await findHtmlSource(hook);
  if (!copy) return undefined;
  for (const { element, frameDepth } of elementsOf(copy.html, hook.url)) {
    const isIcon = element.tagName === 'link' && frameDepth === 0 && /\bicon\b/i.test(attribute(element, 'rel') ?? '');
    const icon = isIcon ? decodeDataUrl(attribute(element, 'href') ?? '') : undefined;
    if (icon && isPicture(icon)) return icon;
  }
  return undefined;
}

/** Those the page names, then the place where sites without a name for it keep theirs. */
async function iconAddresses(hook: Hook): Promise<string[]> {
  const tab = await connectLoadedTab(hook);
  try {
    const named = await evaluateApart<string[]>(
      tab.session,
      `[...document.querySelectorAll('link[rel~="icon" i]')].map((link) => link.href)`,
    );
    return [...named, new URL('/favicon.ico', tab.navigation.finalUrl).href];
  } finally {
    tab.close();
  }
}

async function fetchIcon(hook: Hook, url: string): Promise<Buffer | undefined> {
  if (url.startsWith('data:')) return decodeDataUrl(url);
  try {
    const { status, body } = await fetchThroughProxy(hook, url, iconBytesMax);
    return status === 200 && isPicture(body) ? body : undefined;
  } catch (error) {
    if (!(error instanceof HookFailure)) throw error;
    hook.log(error.message); // The next place may have one.
    return undefined;
  }
}

await runAsProgram(import.meta.url, main);
