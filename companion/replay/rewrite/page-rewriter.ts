import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { ForeignContent } from './foreign-content.ts';
import { declarationEdits } from './declaration.ts';
import { editsOf, isEdited } from './tag-edits.ts';
import { attributeOf, valueOf, type Attribute, type Edit, type StartTag } from './tag.ts';

export interface PageContext {
  /** Address the page had when it was kept. */
  documentUrl: string;
  /** Beginning of the UI's page for an address. */
  linkPrefix: string;
  /** XHTML and SVG are read by the rules of XML. */
  xml: boolean;
}

const cdataStart = '<![CDATA[';
/** As long, and a comment for the tokenizer, as the real one is for browsers outside of SVG and MathML. */
const commentStart = '<!-CDATA-';
/** A name longer than this is none of ours, so no more text is held back for one that may go on in the next chunk. */
const NAME_LENGTH_MAX = 64;
/** Documents inside documents inside documents: each level escapes the one below again, so real pages stop at three. */
const FRAME_DEPTH_MAX = 8;

const quotes: Record<QuoteType, Attribute['quote']> = {
  [QuoteType.NoValue]: 'none',
  [QuoteType.Unquoted]: 'unquoted',
  [QuoteType.Single]: "'",
  [QuoteType.Double]: '"',
};

/**
 * Rewrites a document while it streams: links lead to the library, hints that would reach out are disarmed (DESIGN
 * section 8). All other text leaves letter by letter as it came; memory holds at most one tag.
 */
export class PageRewriter implements TokenizerCallbacks {
  private readonly context: PageContext;
  private readonly depth: number;
  private readonly tokenizer: Tokenizer;
  private readonly foreign = new ForeignContent();
  private baseUrl: string;
  private hasBase = false;
  /** The end of what was written, when it may be the beginning of a CDATA section. */
  private unread = '';
  /** Text written but not yet given out, and the offset of its first letter. */
  private held = '';
  private heldFrom = 0;
  private edits: Edit[] = [];
  private tag: StartTag | undefined;
  private tagName = '';
  private tagStart = 0;
  /** Where the last finished tag ended: what lies before is settled. */
  private settledTo = 0;
  private attribute: Attribute | undefined;

  constructor(context: PageContext, depth = 0) {
    this.context = context;
    this.depth = depth;
    this.baseUrl = context.documentUrl;
    this.tokenizer = new Tokenizer({ xmlMode: context.xml, decodeEntities: false }, this);
  }

  /** Takes a piece of the document and returns what is settled; pieces may end anywhere. */
  write(text: string): string {
    this.held += text;
    this.unread += text;
    this.read(this.unread.length - cutOffCdata(this.unread));
    return this.giveOut(this.settledLength());
  }

  /** The rest. A tag that never ends is given out as it is; browsers ignore it. */
  end(): string {
    this.read(this.unread.length);
    this.tokenizer.end();
    return this.giveOut(this.held.length);
  }

  /** The tokenizer takes every `<![CDATA[` for one; browsers only in SVG, MathML and XML. */
  private read(length: number): void {
    const text = this.unread.slice(0, length);
    this.unread = this.unread.slice(length);
    let at = 0;
    for (let cdata = text.indexOf(cdataStart); cdata >= 0 && !this.context.xml; cdata = text.indexOf(cdataStart, at)) {
      this.tokenizer.write(text.slice(at, cdata));
      this.tokenizer.write(this.foreign.isForeign ? cdataStart : commentStart);
      at = cdata + cdataStart.length;
    }
    this.tokenizer.write(text.slice(at));
  }

  private settledLength(): number {
    if (this.tag) return this.tagStart - this.heldFrom;
    const open = this.held.lastIndexOf('<');
    const isNear = this.context.xml || open >= this.held.length - NAME_LENGTH_MAX;
    return open >= 0 && open >= this.settledTo - this.heldFrom && isNear ? open : this.held.length;
  }

  private giveOut(length: number): string {
    let text = '';
    let at = 0;
    for (const edit of this.edits) {
      text += this.held.slice(at, edit.start - this.heldFrom) + edit.text;
      at = edit.end - this.heldFrom;
    }
    text += this.held.slice(at, length);
    this.edits = [];
    this.held = this.held.slice(length);
    this.heldFrom += length;
    return text;
  }

  private slice(start: number, end: number): string {
    return this.held.slice(Math.max(0, start - this.heldFrom), end - this.heldFrom);
  }

  onopentagname(start: number, end: number): void {
    this.tagName = end - start > NAME_LENGTH_MAX ? '' : this.localName(start, end);
    this.tagStart = start - 1;
    this.tag = isEdited(this.tagName) ? { name: this.tagName, attributes: [] } : undefined;
  }

  onattribname(start: number, end: number): void {
    if (!this.tag) return;
    const local = this.localName(start, end);
    const isPrefixed = this.context.xml && local === 'href' && end - start > local.length;
    const name = isPrefixed ? 'xlink:href' : this.context.xml ? local : this.slice(start, end).toLowerCase();
    this.attribute = { name, nameStart: start, nameEnd: end, raw: '', valueStart: -1, valueEnd: -1, quote: 'none' };
  }

  onattribdata(start: number, end: number): void {
    if (!this.attribute) return;
    if (this.attribute.valueStart < 0) this.attribute.valueStart = start;
    this.attribute.valueEnd = end;
  }

  onattribend(quote: QuoteType): void {
    if (!this.tag || !this.attribute) return;
    this.attribute.quote = quotes[quote];
    if (this.attribute.valueStart >= 0)
      this.attribute.raw = this.slice(this.attribute.valueStart, this.attribute.valueEnd);
    this.tag.attributes.push(this.attribute);
    this.attribute = undefined;
  }

  onopentagend(end: number): void {
    this.endTag(end, false);
  }

  onselfclosingtag(end: number): void {
    this.endTag(end, true);
  }

  private endTag(end: number, selfClosing: boolean): void {
    this.settledTo = end + 1;
    if (!this.context.xml) this.foreign.open(this.tagName, selfClosing);
    const tag = this.tag;
    this.tag = undefined;
    if (!tag) return;
    if (tag.name === 'base') this.noteBase(tag);
    const edits = editsOf(tag, {
      documentUrl: this.context.documentUrl,
      baseUrl: this.baseUrl,
      linkPrefix: this.context.linkPrefix,
      isFrame: this.depth > 0,
      xml: this.context.xml,
      rewriteFrame: (text, xml) => this.rewriteFrame(text, xml),
    });
    this.edits.push(...edits);
  }

  /** Lower case; in XML without its prefix, which may be any. */
  private localName(start: number, end: number): string {
    const name = this.slice(start, end).toLowerCase();
    return this.context.xml ? name.slice(name.lastIndexOf(':') + 1) : name;
  }

  /** Browsers ignore it in kept pages (`base-uri 'none'`), but links were meant from there. */
  private noteBase(tag: StartTag): void {
    const href = attributeOf(tag, 'href');
    if (!href || this.hasBase) return;
    this.hasBase = true;
    const address = valueOf(href, this.context.xml).trim();
    if (URL.canParse(address, this.context.documentUrl)) this.baseUrl = new URL(address, this.context.documentUrl).href;
  }

  private rewriteFrame(text: string, xml: boolean): string | undefined {
    if (this.depth >= FRAME_DEPTH_MAX) return undefined;
    const inner = new PageRewriter({ ...this.context, documentUrl: this.baseUrl, xml }, this.depth + 1);
    return inner.write(text) + inner.end();
  }

  onclosetag(start: number, end: number): void {
    if (!this.context.xml && end - start <= NAME_LENGTH_MAX) this.foreign.close(this.slice(start, end).toLowerCase());
  }

  isInForeignContext(): boolean {
    return this.foreign.isForeign;
  }

  ondeclaration(start: number, end: number): void {
    if (!this.context.xml) return;
    for (const edit of declarationEdits(this.slice(start, end), Math.max(start, this.heldFrom))) {
      this.edits.push({ ...edit, start: Math.max(edit.start, this.heldFrom) });
    }
    this.settledTo = end + 1;
  }

  // The other events change nothing.
  onattribentity(): void {}
  oncdata(): void {}
  oncomment(): void {}
  onend(): void {}
  onprocessinginstruction(): void {}
  ontext(): void {}
  ontextentity(): void {}
}

/** How many letters at the end of a text may be the beginning of a CDATA section. */
function cutOffCdata(text: string): number {
  for (let length = Math.min(cdataStart.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(cdataStart.slice(0, length))) return length;
  }
  return 0;
}
