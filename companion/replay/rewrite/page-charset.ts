const PRESCAN_BYTES = 1024;

/**
 * The encoding a browser would read these bytes in, from their beginning: byte order mark, declaration in the first
 * 1024 bytes, else UTF-8 when they are that, else windows-1252 (HTML standard, "determining the character encoding").
 */
export function pageCharset(beginning: Uint8Array, xml: boolean): string {
  const [first, second] = beginning;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && beginning[2] === 0xbf) return 'utf-8';
  const text = Buffer.from(beginning.subarray(0, PRESCAN_BYTES)).toString('latin1');
  const declared = xml
    ? /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)/i.exec(text)?.[1]
    : /<meta\s[^>]*?charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text)?.[1];
  const known = declared === undefined ? undefined : knownCharset(declared);
  if (known !== undefined) return known;
  return xml || isUtf8(beginning) ? 'utf-8' : 'windows-1252';
}

/** Undefined for an unknown label. A declaration readable as ASCII cannot be UTF-16, whatever it says. */
function knownCharset(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding.startsWith('utf-16') ? 'utf-8' : encoding;
  } catch {
    return undefined;
  }
}

/** True when the bytes are UTF-8, except perhaps for a letter cut off at their end. */
function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
