/**
 * How text and queries become comparable. Both sides go through here, and FTS5's unicode61 tokenizer only splits what
 * comes out. Marks of Latin, Greek, Cyrillic, Hebrew and Arabic fall away; those of Indic and South-East Asian
 * scripts are vowels and stay. Scripts written without spaces are cut into pairs of letters, because unicode61 would
 * make one token of a whole sentence. Pairs need no dictionary, so another ICU finds the same (Intl.Segmenter's words
 * depend on its version and on the neighbours of a word).
 */
const LETTER = String.raw`\p{L}\p{N}\p{M}\p{Co}`;
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3005\u30fc\u3099\u309a`;

/** One letter of a script that is written without spaces, as the source of a pattern. */
export const unspacedLetter = `[${UNSPACED}]`;

const wordPattern = new RegExp(`[${LETTER}]+`, 'gu');
const unspacedRun = new RegExp(`[${UNSPACED}]+`, 'gu');
const wordPart = new RegExp(`[${UNSPACED}]+|[^${UNSPACED}]+`, 'gu');
const unspacedStart = new RegExp(`^[${UNSPACED}]`, 'u');

const droppedMarks =
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0640]+/g;
/** Soft hyphens, joiners without meaning and direction marks stand inside words without dividing them. */
const invisible = /[\u00ad\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/g;

/** Letters that have no decomposition but that people type without their stroke or ligature. */
const plainLetters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
  ŋ: 'n',
  ŧ: 't',
  ς: 'σ',
};
const plainLetterPattern = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');
const asciiOnly = /^[\0-\x7f]*$/;

/** Lower case, compatible forms made equal, marks that people leave out removed. */
export function foldText(text: string): string {
  if (asciiOnly.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(droppedMarks, '')
    .replace(invisible, '')
    .normalize('NFC')
    .replace(plainLetterPattern, (letter) => plainLetters[letter] ?? letter);
}

/** Text for the index: folded, and every unspaced run as pairs of letters; its last letter stands once more alone. */
export function toIndexText(text: string): string {
  const folded = foldText(text);
  if (asciiOnly.test(folded)) return folded;
  return folded.replace(unspacedRun, (run) => ` ${pairs(run, true).join(' ')} `);
}

/** One word or phrase of a query. */
export interface QueryTerm {
  /** Tokens as the index holds them, in order. */
  tokens: string[];
  /** Folded words as they stand in folded text, for finding the place again. */
  words: string[];
}

/** Tokens of a query's word or phrase; none when it holds no letter or digit. */
export function toQueryTerm(text: string): QueryTerm {
  const words = foldText(text).match(wordPattern) ?? [];
  const parts = words.flatMap((word) => word.match(wordPart) ?? []);
  const tokens = parts.flatMap((part, index) => {
    // Where the query goes on behind a run, the text has ended the run too and repeats its last letter.
    return unspacedStart.test(part) ? pairs(part, index < parts.length - 1) : [part];
  });
  return { tokens, words };
}

/** True when a match may begin inside a run of letters, because its script does not divide words. */
export function isUnspaced(word: string): boolean {
  return unspacedStart.test(word);
}

/** Folded words of a short text, for the list of words that short beginnings are completed from. */
export function foldedWords(text: string): string[] {
  return (foldText(text).match(wordPattern) ?? []).filter((word) => !isUnspaced(word));
}

function pairs(run: string, withLast: boolean): string[] {
  const letters = [...run];
  if (letters.length === 1) return letters;
  const tokens = letters.slice(1).map((letter, index) => letters[index]! + letter);
  return withLast ? [...tokens, letters[letters.length - 1]!] : tokens;
}
