import { foldText, isUnspaced, unspacedLetter } from './fold-text.ts';
import type { Condition } from './parse-query.ts';

/** A piece of a snippet; pieces in order are the text, and never markup. */
export interface SnippetSegment {
  text: string;
  hit: boolean;
}

const SNIPPET_LENGTH = 240;
/** Letters before the first hit. */
const LEAD = 60;
/** The text is looked through in pieces: folding all of a long one letter by letter would take too long. */
const PIECE = 4_096;
const OVERLAP = 256;

const LETTER = String.raw`[\p{L}\p{N}\p{M}\p{Co}]`;
/** A letter of a script that divides words: beside it no word begins or ends. */
const SPACED = `(?!${unspacedLetter})${LETTER}`;
const BETWEEN_WORDS = String.raw`[^\p{L}\p{N}\p{M}\p{Co}]+`;

/** Matches the query's words in folded text; undefined when the query has none to show. */
export function snippetPattern(conditions: readonly Condition[]): RegExp | undefined {
  const parts = conditions
    .filter((condition) => !condition.isExcluded && ['word', 'phrase', 'prefix'].includes(condition.kind))
    .map(({ term, kind }) => {
      const letters = [...term.words.join('')];
      const begin = isUnspaced(letters[0]!) ? '' : `(?<!${SPACED})`;
      const end = isUnspaced(letters[letters.length - 1]!) || kind === 'prefix' ? '' : `(?!${SPACED})`;
      return begin + term.words.join(BETWEEN_WORDS) + end;
    });
  return parts.length === 0 ? undefined : new RegExp(parts.join('|'), 'gu');
}

/** The place of a text where most of the words stand, with the words marked; the beginning when none is found. */
export function makeSnippet(recorded: string, pattern: RegExp): SnippetSegment[] {
  const text = recorded.normalize('NFC');
  const piece = findPiece(text, pattern);
  const hits = piece === undefined ? [] : hitsIn(piece.text, pattern);
  const first = hits[bestHit(hits)];
  if (piece === undefined || first === undefined) {
    const end = letterEnd(text, SNIPPET_LENGTH);
    return tidy([{ text: text.slice(0, end), hit: false }], false, text.length > end);
  }
  const from = wordStart(piece.text, Math.max(0, first.from - LEAD), first.from);
  const until = letterEnd(piece.text, Math.max(from + SNIPPET_LENGTH, first.until));
  const segments: SnippetSegment[] = [];
  let at = from;
  for (const hit of hits.filter((candidate) => candidate.from >= from && candidate.until <= until)) {
    if (hit.from > at) segments.push({ text: piece.text.slice(at, hit.from), hit: false });
    segments.push({ text: piece.text.slice(hit.from, hit.until), hit: true });
    at = hit.until;
  }
  if (at < until) segments.push({ text: piece.text.slice(at, until), hit: false });
  return tidy(segments, piece.start + from > 0, piece.start + until < text.length);
}

/** The first piece that holds most different words; all of them are good enough to stop at. */
function findPiece(text: string, pattern: RegExp): { text: string; start: number } | undefined {
  const alternatives = pattern.source.split('|').length;
  let best: { text: string; start: number } | undefined;
  let bestCount = 0;
  for (let start = 0; start < text.length; start += PIECE - OVERLAP) {
    const piece = text.slice(start, start + PIECE);
    const found = new Set((foldText(piece).match(pattern) ?? []).map((hit) => hit.slice(0, 20)));
    if (found.size > bestCount) {
      best = { text: piece, start };
      bestCount = found.size;
    }
    if (bestCount >= alternatives) break;
  }
  return best;
}

interface Span {
  from: number;
  until: number;
}

/** Folds letter by letter and remembers where each came from, so that hits can be marked in the text as written. */
function hitsIn(piece: string, pattern: RegExp): Span[] {
  const origins: number[] = [];
  let folded = '';
  let at = 0;
  for (const letter of piece) {
    const plain = foldText(letter);
    for (let index = 0; index < plain.length; index += 1) origins.push(at);
    folded += plain;
    at += letter.length;
  }
  origins.push(piece.length);
  return [...folded.matchAll(pattern)].map((match) => ({
    from: origins[match.index]!,
    until: endOf(piece, origins[match.index + match[0].length - 1]!),
  }));
}

/** End of the letter at a place, with the marks that belong to it. */
function endOf(piece: string, start: number): number {
  const letter = /^.\p{M}*/su.exec(piece.slice(start, start + 16));
  return start + (letter?.[0].length ?? 1);
}

/** Index of the hit after which most hits follow within a snippet. */
function bestHit(hits: readonly Span[]): number {
  let best = 0;
  let bestCount = 0;
  hits.forEach((hit, index) => {
    const count = hits.filter(
      (other) => other.from >= hit.from && other.until <= hit.from + SNIPPET_LENGTH - LEAD,
    ).length;
    if (count > bestCount) {
      best = index;
      bestCount = count;
    }
  });
  return best;
}

/** The start of a word at or behind `wanted`, so that no word is cut; never behind the hit. */
function wordStart(text: string, wanted: number, hit: number): number {
  if (wanted === 0) return 0;
  const space = text.slice(wanted, hit).search(/\s/u);
  // Without a space (a long word, unspaced script) it is cut anywhere but inside a pair of surrogates.
  if (space === -1) return /[\udc00-\udfff]/.test(text[wanted] ?? '') ? wanted + 1 : wanted;
  return wanted + space + 1;
}

/** The wanted length, or one less where it would cut a pair of surrogates; at most all of the text. */
function letterEnd(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length;
  return /[\ud800-\udbff]/.test(text[wanted - 1] ?? '') ? wanted - 1 : wanted;
}

/** One line of text, with an ellipsis where something was left out. */
function tidy(segments: SnippetSegment[], isCutBefore: boolean, isCutBehind: boolean): SnippetSegment[] {
  const flat = segments.map((segment) => ({ ...segment, text: segment.text.replace(/[\s\p{Cc}]+/gu, ' ') }));
  const first = flat[0];
  const last = flat[flat.length - 1];
  if (first && !first.hit) first.text = first.text.trimStart();
  if (last && !last.hit) last.text = last.text.trimEnd();
  if (first && isCutBefore) flat.unshift({ text: '… ', hit: false });
  if (last && isCutBehind) flat.push({ text: ' …', hit: false });
  return flat.filter((segment) => segment.text !== '');
}
