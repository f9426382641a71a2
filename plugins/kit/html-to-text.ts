import { parse } from 'parse5';
import { attribute, frameHtml, type HtmlElement, type HtmlNode, innerNodes, isElement } from './html-document.ts';

const hidden = new Set([
  'script',
  'style',
  'noscript',
  'head',
  'svg',
  'math',
  'object',
  'canvas',
  'audio',
  'video',
  'datalist',
  'select',
]);

const paragraphs = new Set([
  ...['address', 'article', 'aside', 'blockquote', 'body', 'center', 'details', 'dialog', 'div', 'dl', 'fieldset'],
  ...['figcaption', 'figure', 'footer', 'form', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'hgroup', 'hr', 'html'],
  ...['iframe', 'frame', 'legend', 'main', 'nav', 'ol', 'p', 'pre', 'section', 'summary', 'table', 'template', 'ul'],
]);
const lines = new Set(['br', 'caption', 'dd', 'dt', 'li', 'option', 'tr']);
const cells = new Set(['td', 'th']);

const frameDepthMax = 8;

/**
 * The text a reader sees: of the page, its shadow roots and the frames that lie in it, paragraphs apart by an empty
 * line. Scripts, styles and drawings give none; the descriptions of pictures do.
 */
export function htmlToText(html: string): string {
  const writer = new TextWriter();
  writeNode(parse(html), writer, { isPre: false, frameDepth: 0 });
  return writer.toText();
}

interface Place {
  isPre: boolean;
  frameDepth: number;
}

function writeNode(node: HtmlNode, writer: TextWriter, place: Place): void {
  if (node.nodeName === '#text' && 'value' in node) writer.text(node.value, place.isPre);
  if (!isElement(node)) {
    for (const child of innerNodes(node)) writeNode(child, writer, place);
    return;
  }
  const { tagName } = node;
  if (hidden.has(tagName)) return;
  const separate = (): void => {
    if (paragraphs.has(tagName)) writer.paragraph();
    else if (lines.has(tagName)) writer.line();
    else if (cells.has(tagName)) writer.tab();
  };
  separate();
  writeOwnText(node, writer);
  const inner = place.frameDepth < frameDepthMax ? frameHtml(node) : undefined;
  if (inner !== undefined) writeNode(parse(inner), writer, { isPre: false, frameDepth: place.frameDepth + 1 });
  const isPre = place.isPre || tagName === 'pre' || tagName === 'textarea';
  for (const child of innerNodes(node)) writeNode(child, writer, { ...place, isPre });
  separate();
}

/** Text that elements show without holding it: descriptions of pictures, what was typed into a field. */
function writeOwnText(element: HtmlElement, writer: TextWriter): void {
  if (element.tagName === 'img') writer.text(` ${attribute(element, 'alt') ?? ''} `, false);
  if (element.tagName === 'input' && /^(text|search|email|url|tel|number|)$/.test(attribute(element, 'type') ?? '')) {
    writer.text(` ${attribute(element, 'value') ?? ''} `, false);
  }
}

/** Collapses white space as a browser does and remembers the widest separation asked for. */
class TextWriter {
  #parts: string[] = [];
  #separation = '';
  #isEmpty = true;

  text(value: string, isPre: boolean): void {
    const text = isPre ? value : value.replace(/[\t\n\f\r ]+/g, ' ');
    if (text.trim() === '') {
      if (text !== '' && this.#separation === '') this.#separation = ' ';
      return;
    }
    if (this.#separation === '' && text.startsWith(' ')) this.#separation = ' ';
    if (!this.#isEmpty) this.#parts.push(this.#separation);
    this.#parts.push(isPre ? text.replace(/^\n/, '').trimEnd() : text.trim());
    this.#separation = text.endsWith(' ') ? ' ' : '';
    this.#isEmpty = false;
  }

  tab(): void {
    if (this.#separation === '' || this.#separation === ' ') this.#separation = '\t';
  }

  line(): void {
    if (this.#separation !== '\n\n') this.#separation = '\n';
  }

  paragraph(): void {
    this.#separation = '\n\n';
  }

  toText(): string {
    return this.#isEmpty ? '' : `${this.#parts.join('')}\n`;
  }
}
