import { parseDataAddress, toDataAddress } from './data-address.ts';
import { attributeOf, disarm, setValue, valueOf, type Attribute, type Edit, type StartTag } from './tag.ts';

export interface FrameContext {
  xml: boolean;
  /** Rewrites a document that a frame holds in an attribute: the same text when nothing changes, undefined when it must not be shown. */
  rewriteFrame: (text: string, xml: boolean) => string | undefined;
}

/** Stands for the snapshot's own host when an address is resolved. */
const ownHost = 'http://own.invalid/';
/** Schemes that reach nobody: the frame stays as it is. */
const innocent = new Set(['about:', 'blob:', 'javascript:']);

/**
 * Frames show what they hold themselves or what lies on the snapshot's own host. Any other address is disarmed, because
 * Chromium connects to a host before it refuses the frame (`frame-src`), and other schemes may start programs.
 */
export function frameEdits(tag: StartTag, context: FrameContext): Edit[] {
  const edits: Edit[] = [];
  const srcdoc = attributeOf(tag, 'srcdoc');
  if (srcdoc) {
    const before = valueOf(srcdoc, context.xml);
    edits.push(...replacing(tag, srcdoc, before, context.rewriteFrame(before, false)));
  }
  const src = attributeOf(tag, 'src');
  if (src) edits.push(...sourceEdits(tag, src, context));
  return edits;
}

function sourceEdits(tag: StartTag, src: Attribute, context: FrameContext): Edit[] {
  const address = valueOf(src, context.xml);
  if (!URL.canParse(address, ownHost)) return [];
  const url = new URL(address, ownHost);
  if (url.protocol === 'data:') return dataEdits(tag, src, address, context);
  return innocent.has(url.protocol) || url.origin === new URL(ownHost).origin ? [] : disarm(tag, src.name);
}

function dataEdits(tag: StartTag, src: Attribute, address: string, context: FrameContext): Edit[] {
  const data = parseDataAddress(address);
  if (!data) return disarm(tag, src.name);
  const xml = /[/+]xml$/.test(data.type);
  if (data.type !== 'text/html' && !xml) return [];
  const after = context.rewriteFrame(data.text, xml);
  return replacing(tag, src, address, after === data.text ? address : after && toDataAddress(data.type, after));
}

function replacing(tag: StartTag, attribute: Attribute, before: string, after: string | undefined): Edit[] {
  if (after === undefined) return disarm(tag, attribute.name);
  return after === before ? [] : [setValue(attribute, after)];
}
