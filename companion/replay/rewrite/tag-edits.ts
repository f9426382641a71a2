import { frameEdits, type FrameContext } from './frame-edits.ts';
import { servedLink, type LinkBase } from './link-address.ts';
import { attributeOf, disarm, insertAfter, setValue, valueOf, type Edit, type StartTag } from './tag.ts';

export interface EditContext extends LinkBase, FrameContext {
  xml: boolean;
}

type TagRule = (tag: StartTag, context: EditContext) => Edit[];

/** Link types that make a browser fetch or connect ahead of need. */
const hints = new Set(
  (
    'preconnect dns-prefetch prefetch prerender preload modulepreload next manifest search ' +
    'compression-dictionary monetization'
  ).split(' '),
);
/** Attributes of links that send something elsewhere on a click. */
const reporting = ['ping', 'attributionsrc'];
/** Firefox makes links of all of these when they have an address. */
const mathElements = (
  'math mrow mi mo mn ms mtext mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover ' +
  'munderover mmultiscripts mtable mtr mtd maction semantics'
).split(' ');

const rules = new Map<string, TagRule>([
  ['a', linkEdits],
  ['area', linkEdits],
  // Looked at for the address that links are relative to; browsers ignore it in kept pages.
  ['base', () => []],
  ['link', hintEdits],
  ['meta', refreshEdits],
  ['script', speculationEdits],
  ['iframe', frameEdits],
  ['frame', frameEdits],
  ['animate', animationEdits],
  ['set', animationEdits],
  ...mathElements.map((name): [string, TagRule] => [name, mathLinkEdits]),
]);

/** True for tags the rewriter looks into; all others pass untouched. */
export function isEdited(name: string): boolean {
  return rules.has(name);
}

/** The changes one tag needs so that a kept page reaches only its own host, and its links lead to the library. */
export function editsOf(tag: StartTag, context: EditContext): Edit[] {
  const edits = rules.get(tag.name)?.(tag, context) ?? [];
  return edits.sort((a, b) => a.start - b.start);
}

function linkEdits(tag: StartTag, context: EditContext): Edit[] {
  const edits = reporting.flatMap((name) => disarm(tag, name));
  let toLibrary = false;
  for (const attribute of tag.attributes) {
    if (attribute.name !== 'href' && attribute.name !== 'xlink:href') continue;
    // Of two in HTML the first counts; in XML two prefixes may mean the same.
    if (!context.xml && attributeOf(tag, attribute.name) !== attribute) continue;
    const address = servedLink(valueOf(attribute, context.xml), context);
    if (address === undefined) continue;
    edits.push(setValue(attribute, address));
    if (address.startsWith('#') || toLibrary) continue;
    toLibrary = true;
    // The frame may show only kept pages; the library opens in its place.
    const target = attributeOf(tag, 'target');
    edits.push(target ? setValue(target, '_top') : insertAfter(attribute, 'target', '_top'));
    edits.push(...disarm(tag, 'download'));
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
  return kept.length === 0 ? disarm(tag, 'rel') : [setValue(rel, kept.join(' '))];
}

function refreshEdits(tag: StartTag, context: EditContext): Edit[] {
  const equiv = attributeOf(tag, 'http-equiv');
  return equiv && valueOf(equiv, context.xml).trim().toLowerCase() === 'refresh' ? disarm(tag, 'http-equiv') : [];
}

function speculationEdits(tag: StartTag, context: EditContext): Edit[] {
  const type = attributeOf(tag, 'type');
  if (!type || valueOf(type, context.xml).trim().toLowerCase() !== 'speculationrules') return [];
  // Without a type it would be a script.
  return [setValue(type, 'application/x-speculationrules')];
}

/** SVG can change the address of a link without a script. */
function animationEdits(tag: StartTag, context: EditContext): Edit[] {
  const animated = attributeOf(tag, 'attributename');
  return animated && /href\s*$/i.test(valueOf(animated, context.xml)) ? disarm(tag, 'attributename') : [];
}

function mathLinkEdits(tag: StartTag): Edit[] {
  return ['href', 'xlink:href'].flatMap((name) => disarm(tag, name));
}
