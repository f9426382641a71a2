import { decodeHTMLAttribute, decodeXML } from 'entities';

/** One attribute as it stands in the source; offsets count UTF-16 units from the start of the document. */
export interface Attribute {
  /** Lower case. */
  name: string;
  nameStart: number;
  nameEnd: number;
  /** Raw, with its entities; empty when the attribute has no value. */
  raw: string;
  valueStart: number;
  valueEnd: number;
  quote: '"' | "'" | 'unquoted' | 'none';
}

export interface StartTag {
  /** Lower case. */
  name: string;
  attributes: Attribute[];
}

/** Replaces the source between two offsets. Edits of one tag never overlap. */
export interface Edit {
  start: number;
  end: number;
  text: string;
}

/** The attribute that counts: the first of its name. */
export function attributeOf(tag: StartTag, name: string): Attribute | undefined {
  return tag.attributes.find((attribute) => attribute.name === name);
}

export function valueOf(attribute: Attribute, xml: boolean): string {
  return xml ? decodeXML(attribute.raw) : decodeHTMLAttribute(attribute.raw);
}

export function setValue(attribute: Attribute, value: string): Edit {
  const escaped = escapeValue(value);
  if (attribute.quote === 'none') return { start: attribute.nameEnd, end: attribute.nameEnd, text: `="${escaped}"` };
  const text = attribute.quote === 'unquoted' ? `"${escaped}"` : escaped;
  return { start: attribute.valueStart, end: attribute.valueEnd, text };
}

/**
 * Makes every attribute of a name one that browsers do not know; the values stay readable. All of them, because
 * browsers take the first that is left.
 */
export function disarm(tag: StartTag, name: string): Edit[] {
  const found = tag.attributes.filter((attribute) => attribute.name === name);
  return found.map(({ nameStart }) => ({ start: nameStart, end: nameStart, text: 'data-holdfast-' }));
}

export function insertAfter(attribute: Attribute, name: string, value: string): Edit {
  const end = attributeEnd(attribute);
  return { start: end, end, text: ` ${name}="${escapeValue(value)}"` };
}

function attributeEnd({ quote, nameEnd, valueEnd }: Attribute): number {
  if (quote === 'none') return nameEnd;
  return quote === 'unquoted' ? valueEnd : valueEnd + 1;
}

const escapes: Record<string, string> = { '&': '&amp;', '"': '&quot;', "'": '&#39;', '<': '&lt;' };

/** In one pass: a frame's document can be tens of megabytes, and each pass copies it. */
function escapeValue(value: string): string {
  return value.replace(/[&"'<]/g, (letter) => escapes[letter]!);
}
