import type { Writable } from 'node:stream';

/**
 * Records go to stdout, words for a person to stderr, so that a pipe carries nothing but records. A reader that goes
 * away (`holdfast list | head`) ends the program quietly.
 */
export function printRecord(line: string): void {
  writeLine(process.stdout, line);
}

/** One JSON object on a line of its own. */
export function printJson(record: unknown): void {
  printRecord(JSON.stringify(record));
}

/** A sentence for the person at the terminal; never part of the result. */
export function say(sentence: string): void {
  writeLine(process.stderr, sentence);
}

const guarded = new WeakSet<Writable>();

function writeLine(stream: NodeJS.WriteStream, line: string): void {
  if (!guarded.has(stream)) {
    guarded.add(stream);
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(0);
    });
  }
  stream.write(`${line}\n`);
}

const styles = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** Text in a colour or weight where the terminal shows it; plain for pipes, for NO_COLOR and for TERM=dumb. */
export function paint(style: keyof typeof styles, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  return hasColour(stream) ? `\u001b[${styles[style]}m${text}\u001b[0m` : text;
}

function hasColour(stream: NodeJS.WriteStream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env;
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '' && FORCE_COLOR !== '0') return true;
  return stream.isTTY === true && TERM !== 'dumb';
}

/** One line of CSV (RFC 4180); a cell a spreadsheet would take for a formula is preceded by an apostrophe. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(',');
}

function csvCell(cell: string): string {
  const safe = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Columns a text takes on a terminal: wide letters two, marks and controls none. */
export function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letterWidth(letter);
  return width;
}

const NO_WIDTH = /^[\p{M}\p{Cf}\p{Cc}]$/u;
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}$/u;

function letterWidth(letter: string): number {
  if (letter < '\u007f') return letter < ' ' ? 0 : 1;
  if (NO_WIDTH.test(letter)) return 0;
  return WIDE.test(letter) ? 2 : 1;
}

/** Cut to a number of columns, with an ellipsis when something is missing, and filled up with spaces. */
export function fitWidth(text: string, columns: number): string {
  const flat = printable(text);
  const width = textWidth(flat);
  if (width <= columns) return flat + ' '.repeat(columns - width);
  let kept = '';
  let used = 0;
  for (const letter of flat) {
    const next = letterWidth(letter);
    if (used + next > columns - 1) break;
    kept += letter;
    used += next;
  }
  return `${kept}…${' '.repeat(Math.max(0, columns - 1 - used))}`;
}

/** Titles come from the web: control and direction characters must not steer the reader's terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}
