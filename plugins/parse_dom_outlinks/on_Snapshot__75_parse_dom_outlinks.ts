import { noResults, succeeded } from '../kit/context.ts';
import { defineHook } from '../kit/define-hook.ts';
import { attribute, elementsOf, type HtmlElement, innerNodes } from '../kit/html-document.ts';
import { requireHtmlSource } from '../kit/html-source.ts';
import { runAsProgram } from '../kit/run-as-program.ts';
import { readNavigation } from '../kit/tab.ts';

const titleLengthMax = 512;

/** Every web address the page links to, once, in the order of the page, those of frames and shadow roots too. */
export const main = defineHook(async (hook) => {
  const { html } = await requireHtmlSource(hook);
  const pageUrl = (await readNavigation(hook))?.finalUrl ?? hook.url;
  const links = findLinks(html, pageUrl);
  const lines = [...links].map(([url, title]) =>
    JSON.stringify({ type: 'Snapshot', url, plugin: 'parse_dom_outlinks', title }),
  );
  await hook.write('urls.jsonl', lines.map((line) => `${line}\n`).join(''));
  if (lines.length === 0) return noResults('the page links to nothing');
  return succeeded(lines.length === 1 ? '1 link' : `${lines.length} links`, { links: lines.length });
});

/** Address without its fragment and the first text it was linked with. Links within the page are left out. */
function findLinks(html: string, pageUrl: string): Map<string, string | undefined> {
  const page = withoutFragment(pageUrl);
  const links = new Map<string, string | undefined>();
  for (const { element, baseUrl } of elementsOf(html, pageUrl)) {
    const href = element.tagName === 'a' || element.tagName === 'area' ? attribute(element, 'href') : undefined;
    if (href === undefined || !URL.canParse(href, baseUrl)) continue;
    const url = withoutFragment(new URL(href, baseUrl).href);
    if (!/^https?:\/\/./.test(url) || url === page) continue;
    links.set(url, links.get(url) ?? linkText(element));
  }
  return links;
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/s, '');
}

function linkText(element: HtmlElement): string | undefined {
  const words = textOf(element).replace(/\s+/g, ' ').trim().slice(0, titleLengthMax);
  return words === '' ? undefined : words;
}

function textOf(node: ReturnType<typeof innerNodes>[number]): string {
  if (node.nodeName === 'script' || node.nodeName === 'style') return '';
  return 'value' in node && node.nodeName === '#text' ? node.value : innerNodes(node).map(textOf).join('');
}

await runAsProgram(import.meta.url, main);
