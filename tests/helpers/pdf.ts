import zlib from 'node:zlib';

/** What a PDF holds that Chromium printed: plain objects, fonts with a table back to Unicode. */
export interface PdfContent {
  /** Whether these words stand in it, white space aside: a PDF places letters and knows no spaces. */
  holds: (words: string) => boolean;
  /** Targets of its links. */
  links: string[];
}

interface PdfObject {
  dictionary: string;
  stream: string;
}

export function readPdf(pdf: Buffer): PdfContent {
  const objects = readObjects(pdf.toString('latin1'));
  const letters = new Map<string, Map<number, string>>();
  for (const [id, { dictionary }] of objects) {
    const table = /\/ToUnicode (\d+) 0 R/.exec(dictionary)?.[1];
    if (table) letters.set(id, readLetterTable(objects.get(table)?.stream ?? ''));
  }
  let text = '';
  const fonts = findFonts(objects);
  for (const { stream } of objects.values()) {
    if (/\bTf\b/.test(stream)) text += decodeText(stream, fonts, letters);
  }
  const everything = [...objects.values()].map(({ dictionary }) => dictionary).join('\n');
  const links = [...everything.matchAll(/\/URI \(((?:\\.|[^)])*)\)/g)].map((match) =>
    match[1]!.replace(/\\(.)/g, '$1'),
  );
  const written = withoutSpace(text);
  return { holds: (words) => written.includes(withoutSpace(words)), links };
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '');
}

function readObjects(text: string): Map<string, PdfObject> {
  const objects = new Map<string, PdfObject>();
  for (const match of text.matchAll(/(?:^|\n)(\d+) 0 obj\b([^]*?)\nendobj/g)) {
    const [dictionary = '', rest] = match[2]!.split(/>>\s*stream\r?\n/, 2);
    const raw = Buffer.from(rest?.replace(/\r?\nendstream\s*$/, '') ?? '', 'latin1');
    const stream = dictionary.includes('/FlateDecode') ? zlib.inflateSync(raw) : raw;
    objects.set(match[1]!, { dictionary, stream: stream.toString('latin1') });
  }
  return objects;
}

/** Names of fonts to their objects. Chromium names each font the same on every page, so all may be taken together. */
function findFonts(objects: Map<string, PdfObject>): Map<string, string> {
  const fonts = new Map<string, string>();
  for (const { dictionary } of objects.values()) {
    for (const match of dictionary.matchAll(/\/(F\d+) (\d+) 0 R/g)) fonts.set(match[1]!, match[2]!);
  }
  return fonts;
}

function readLetterTable(cmap: string): Map<number, string> {
  const table = new Map<number, string>();
  for (const block of cmap.matchAll(/beginbfchar([^]*?)endbfchar/g)) {
    for (const [, code, letter] of block[1]!.matchAll(/<([0-9A-F]+)> <([0-9A-F]+)>/gi))
      table.set(Number.parseInt(code!, 16), utf16(letter!));
  }
  for (const block of cmap.matchAll(/beginbfrange([^]*?)endbfrange/g)) {
    for (const [, from, to, letter] of block[1]!.matchAll(/<([0-9A-F]+)> <([0-9A-F]+)> <([0-9A-F]+)>/gi)) {
      const first = Number.parseInt(from!, 16);
      for (let code = first; code <= Number.parseInt(to!, 16); code++) {
        table.set(code, String.fromCodePoint(utf16(letter!).codePointAt(0)! + code - first));
      }
    }
  }
  return table;
}

function utf16(hex: string): string {
  return Buffer.from(hex, 'hex').swap16().toString('utf16le');
}

function decodeText(stream: string, fonts: Map<string, string>, letters: Map<string, Map<number, string>>): string {
  let font: Map<number, string> | undefined;
  let text = '';
  for (const [, name, hex, literal] of stream.matchAll(/\/(F\d+) [\d.]+ Tf|<([0-9A-F]+)>|\(((?:\\[^]|[^()\\])*)\)/gi)) {
    if (name !== undefined) font = letters.get(fonts.get(name) ?? '');
    else if (hex !== undefined) text += decodeCodes(Buffer.from(hex, 'hex'), font);
    else if (literal !== undefined) text += decodeCodes(unescape(literal), font);
  }
  return text;
}

/** Two bytes to a glyph. */
function decodeCodes(bytes: Buffer, font: Map<number, string> | undefined): string {
  let text = '';
  for (let at = 0; at + 1 < bytes.length; at += 2) text += font?.get(bytes.readUInt16BE(at)) ?? '';
  return text;
}

function unescape(literal: string): Buffer {
  const named: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
  const text = literal.replace(/\\([0-7]{1,3}|[^])/g, (_match, code: string) =>
    /^[0-7]/.test(code) ? String.fromCharCode(Number.parseInt(code, 8)) : (named[code] ?? code),
  );
  return Buffer.from(text, 'latin1');
}
