import { fileTypeFromBuffer } from 'file-type';
import path from 'node:path';

/** How many bytes of a file's beginning `sniffMimetype` wants; more is harmless. */
export const sniffBytes = 4_100;

const unknownType = 'application/octet-stream';

/** Types that plain text has by its name, because its bytes do not tell. None of them runs in a page of its own. */
const textTypes: Record<string, string> = {
  css: 'text/css',
  csv: 'text/csv',
  htm: 'text/html',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/x-ndjson',
  md: 'text/markdown',
  mjs: 'text/javascript',
  srt: 'application/x-subrip',
  tsv: 'text/tab-separated-values',
  vtt: 'text/vtt',
};

const HTML_START =
  /^<(!doctype\s+html|(html|head|body|title|meta|script|style|link|iframe|div|p|h1|table|a|br)[\s>/])/i;
const MHTML_HEADER = /^(From|Snapshot-Content-Location|Subject|Date|MIME-Version|Content-Type):/im;

/**
 * The type of a file by its first bytes. The name only decides between kinds of plain text: what a client or hook
 * says about a type is kept as data and never served (DESIGN section 8).
 */
export async function sniffMimetype(head: Uint8Array, name: string): Promise<string> {
  const text = decodeText(head);
  const found = (text === undefined ? undefined : markupType(text)) ?? (await fileTypeFromBuffer(head))?.mime;
  if (found !== undefined) return found;
  if (text === undefined) return unknownType;
  return textTypes[path.posix.extname(name).slice(1).toLowerCase()] ?? 'text/plain';
}

function markupType(text: string): string | undefined {
  const start = withoutComments(text);
  if (HTML_START.test(start)) return 'text/html';
  if (isMhtml(text)) return 'multipart/related';
  if (/^<(\?xml|!doctype|svg|[a-z][\w.-]*:?[\w.-]*\s+xmlns)/i.test(start)) return xmlType(text);
  return undefined;
}

function xmlType(text: string): string {
  if (/<(svg:)?svg[\s>]/i.test(text)) return 'image/svg+xml';
  if (/<html[^>]*xmlns/i.test(text) || /<!doctype\s+html/i.test(text)) return 'application/xhtml+xml';
  return 'application/xml';
}

/** Browsers' page archives: mail headers that name a multipart/related body. */
function isMhtml(text: string): boolean {
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  const headers = text.slice(0, end);
  return MHTML_HEADER.test(headers.slice(0, 200)) && /^Content-Type:\s*multipart\/related/im.test(headers);
}

function withoutComments(text: string): string {
  return text.replace(/^(\s*<!--[\s\S]*?-->)*\s*/, '');
}

/** The text, or undefined for bytes that are none. Pages in old encodings are read letter by letter: tags are ASCII. */
function decodeText(head: Uint8Array): string | undefined {
  const wide = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (wide) return new TextDecoder(head[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(head);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/.test(Buffer.from(head).toString('latin1'))) return undefined;
  return new TextDecoder().decode(head);
}
