import { servedLink, type LinkBase } from './link-address.ts';
import { attributeOf, disarm, insertAfter, setValue, valueOf, type Edit, type StartTag } from './tag.ts';

/** Tags the rewriter looks into; all others pass untouched. */
export const editedTags: ReadonlySet<string> = new Set([
  'a',
  'area',
  'base',
  'link',
  'meta',
  'script',
  'iframe',
  'frame',
]);

/** Link types that make a browser fetch or connect ahead of need. */
const hints = new Set([
  'preconnect',
  'dns-prefetch',
  'prefetch',
  'prerender',
  'preload',
  'modulepreload',
  'next',
  'manifest',
  'search',
  'compression-dictionary',
  'monetization',
]);
/** Attributes of links that send something elsewhere on a click. */
const reporting = ['ping', 'attributionsrc'];

export interface EditContext extends LinkBase {
  xml: boolean;
  /** Rewrites a document that a frame holds in an attribute; undefined when nothing changes. */
  rewriteFrame: (html: string) => string | undefined;
}

/** The changes one tag needs so that a kept page asks nobody but its own host, and its links lead to the library. */
export function editsOf(tag: StartTag, context: EditContext): Edit[] {
  switch (tag.name) {
    case 'a':
    case 'area':
      return linkEdits(tag, context);
    case 'link':
      return hintEdits(tag, context);
    case 'meta':
      return refreshEdits(tag, context);
    case 'script':
      return speculationEdits(tag, context);
    default:
      return tag.name === 'base' ? [] : frameEdits(tag, context);
  }
}

function linkEdits(tag: StartTag, context: EditContext): Edit[] {
  const edits: Edit[] = [];
  for (const name of reporting) {
    const attribute = attributeOf(tag, name);
    if (attribute) edits.push(disarm(attribute));
  }
  let toLibrary = false;
  for (const name of ['href', 'xlink:href']) {
    const attribute = attributeOf(tag, name);
    const address = attribute && servedLink(valueOf(attribute, context.xml), context);
    if (!attribute || address === undefined) continue;
    edits.push(setValue(attribute, address));
    if (address.startsWith('#') || toLibrary) continue;
    toLibrary = true;
    // The frame may show only kept pages; the library opens in its place.
    const target = attributeOf(tag, 'target');
    edits.push(target ? setValue(target, '_top') : insertAfter(attribute, 'target', '_top'));
    const download = attributeOf(tag, 'download');
    if (download) edits.push(disarm(download));
  }
  return edits;
}

function hintEdits(tag: StartTag, context: EditContext): Edit[] {
  const rel = attributeOf(tag, 'rel');
  if (!rel) return [];
  const href = attributeOf(tag, 'href');
  if (href && /^\s*(data|blob):/i.test(valueOf(href, context.xml))) return [];
  const words = valueOf(rel, context.xml).split(/[\t\n\f\r ]+/);
  const kept = words.filter((word) => !hints.has(word.toLowerCase()));
  if (kept.length === words.length) return [];
  return [kept.length === 0 ? disarm(rel) : setValue(rel, kept.join(' '))];
}

function refreshEdits(tag: StartTag, context: EditContext): Edit[] {
  const equiv = attributeOf(tag, 'http-equiv');
  return equiv && valueOf(equiv, context.xml).trim().toLowerCase() === 'refresh' ? [disarm(equiv)] : [];
}

function speculationEdits(tag: StartTag, context: EditContext): Edit[] {
  const type = attributeOf(tag, 'type');
  if (!type || valueOf(type, context.xml).trim().toLowerCase() !== 'speculationrules') return [];
  // Without a type it would be a script.
  return [setValue(type, 'application/x-speculationrules')];
}

function frameEdits(tag: StartTag, context: EditContext): Edit[] {
  const edits: Edit[] = [];
  const srcdoc = attributeOf(tag, 'srcdoc');
  const document = srcdoc && context.rewriteFrame(valueOf(srcdoc, context.xml));
  if (srcdoc && document !== undefined) edits.push(setValue(srcdoc, document));
  const src = attributeOf(tag, 'src');
  const inside = src && dataDocument(valueOf(src, context.xml));
  const rewritten = inside === undefined ? undefined : context.rewriteFrame(inside);
  if (src && rewritten !== undefined) {
    edits.push(setValue(src, `data:text/html;charset=utf-8;base64,${Buffer.from(rewritten).toString('base64')}`));
  }
  return edits;
}

/** The document in a `data:text/html` address as text. */
function dataDocument(address: string): string | undefined {
  const match = /^\s*data:text\/html((?:;[^,;]*)*),/i.exec(address);
  if (!match) return undefined;
  const parameters = match[1]!.toLowerCase();
  const body = address.slice(match[0].length);
  const bytes = /;\s*base64\s*$/.test(parameters)
    ? Buffer.from(percentDecode(body).toString('latin1'), 'base64')
    : percentDecode(body);
  const charset = /;\s*charset=["']?([\w-]+)/.exec(parameters)?.[1] ?? 'utf-8';
  return decoderOf(charset).decode(bytes);
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // An unknown label: browsers then guess; text of today is UTF-8.
    return new TextDecoder();
  }
}

function percentDecode(text: string): Buffer {
  const bytes = Buffer.from(text);
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const hex = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : '';
    const escaped = /^[0-9a-fA-F]{2}$/.test(hex);
    decoded[length] = escaped ? parseInt(hex, 16) : bytes[at]!;
    if (escaped) at += 2;
    length += 1;
  }
  return decoded.subarray(0, length);
}
