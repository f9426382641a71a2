import { type DefaultTreeAdapterTypes, parse, parseFragment } from 'parse5';

export type HtmlNode = DefaultTreeAdapterTypes.Node;
export type HtmlElement = DefaultTreeAdapterTypes.Element;

/** A frame inside a frame inside a frame; deeper ones are left out. */
const frameDepthMax = 8;

export interface PlacedElement {
  element: HtmlElement;
  /** Against which its addresses are resolved. */
  baseUrl: string;
  /** 0 for the page itself. */
  frameDepth: number;
}

/** Every element in order, those in shadow roots and in the frames that lie in the document too. */
export function* elementsOf(html: string, url: string): Generator<PlacedElement> {
  yield* walk(parse(html), documentBase(html, url), 0);
}

function* walk(node: HtmlNode, baseUrl: string, frameDepth: number): Generator<PlacedElement> {
  if (isElement(node)) yield { element: node, baseUrl, frameDepth };
  for (const child of innerNodes(node)) yield* walk(child, baseUrl, frameDepth);
  const inner = isElement(node) && frameDepth < frameDepthMax ? frameHtml(node) : undefined;
  if (inner !== undefined) yield* walk(parse(inner), documentBase(inner, baseUrl), frameDepth + 1);
}

/** Children as they are shown: of a template only a shadow root's. */
export function innerNodes(node: HtmlNode): readonly HtmlNode[] {
  if (isElement(node) && node.tagName === 'template' && 'content' in node) {
    const { content } = node as DefaultTreeAdapterTypes.Template;
    return attribute(node, 'shadowrootmode') === undefined ? [] : content.childNodes;
  }
  return 'childNodes' in node ? node.childNodes : [];
}

/** HTML of a frame that lies in the document itself, as `srcdoc` or as a `data:` address. */
export function frameHtml(element: HtmlElement): string | undefined {
  if (element.tagName !== 'iframe' && element.tagName !== 'frame') return undefined;
  const srcdoc = attribute(element, 'srcdoc');
  if (srcdoc !== undefined) return srcdoc;
  const match = /^data:text\/html[^,]*?(;base64)?,([^]*)$/i.exec(attribute(element, 'src') ?? '');
  if (match?.[2] === undefined) return undefined;
  return match[1] ? Buffer.from(match[2], 'base64').toString('utf8') : decodeLeniently(match[2]);
}

function decodeLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // Browsers show it as it stands, too.
  }
}

export function isElement(node: HtmlNode): node is HtmlElement {
  return 'tagName' in node;
}

export function attribute(element: HtmlElement, name: string): string | undefined {
  return element.attrs.find((one) => one.name === name)?.value;
}

/** The `<base>` of a document, itself resolved against the document's address. */
function documentBase(html: string, url: string): string {
  const tag = /<base\b[^>]*>/i.exec(html.slice(0, 100_000))?.[0];
  const [base] = tag === undefined ? [] : parseFragment(tag).childNodes;
  const href = base && isElement(base) ? attribute(base, 'href') : undefined;
  return href !== undefined && URL.canParse(href, url) ? new URL(href, url).href : url;
}

/** Text of the page's own `<title>`, not that of a picture or a frame in it. */
export function findTitle(html: string): string | undefined {
  for (const { element, frameDepth } of elementsOf(html, 'about:blank')) {
    if (frameDepth > 0 || element.tagName !== 'title' || element.namespaceURI !== 'http://www.w3.org/1999/xhtml')
      continue;
    const text = element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
    if (text.trim() !== '') return text;
  }
  return undefined;
}
