import type { Edit } from './tag.ts';

/**
 * Declarations of XML can hide markup in entities and addresses in default attributes, where no tag shows them. Only a
 * document type without declarations of its own stays; the rest is cut, and a document that needs it shows an error.
 * `text` is what stands between `<!` and `>`.
 */
export function declarationEdits(text: string, start: number): Edit[] {
  const end = start + text.length;
  if (!/^DOCTYPE\s/.test(text) || hasOpenQuote(text)) return [{ start: start - 2, end: end + 1, text: '' }];
  const subset = text.indexOf('[');
  return subset < 0 ? [] : [{ start: start + subset, end, text: '' }];
}

/** The reader of tags ends a declaration at the first `>`, also inside quotes. */
function hasOpenQuote(text: string): boolean {
  return /["']/.test(text.replace(/"[^"]*"|'[^']*'/g, ''));
}

/** True when a document declares things of its own; browsers then show more of it as HTML than of what is left. */
export function hasOwnDeclarations(beginning: string): boolean {
  return /<!DOCTYPE[^>[]*\[|<!(ENTITY|ATTLIST)/.test(beginning);
}
