/** An embedded part of a page, as positions in bytes. */
export interface FoundPart {
  /** Where `data:` begins. */
  start: number;
  /** Where the encoded bytes begin. */
  payload: number;
  /** Behind the last encoded character. */
  end: number;
}

const marker = Buffer.from(';base64,', 'latin1');
const scheme = 'data:';
/** A type with its parameters is shorter; a longer way back would make hostile pages slow. */
const HEAD_BYTES_MAX = 256;

const inAlphabet = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') {
  inAlphabet[character.charCodeAt(0)] = 1;
}
/** What a type and its parameters consist of; quotes, brackets and blanks end the way back. */
const inHead = new Uint8Array(256);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$%&'*+-.^_`|~/;=:,") {
  inHead[character.charCodeAt(0)] = 1;
}

/**
 * Finds base64 parts of at least `sizeMin` decoded bytes. No HTML or CSS parser: base64 holds no quote, `&` or
 * bracket, so attributes, `srcset`, `url()` and frames inside attributes need nothing special (experiments, section
 * 11). Linear in the length of the page.
 */
export function findParts(page: Buffer, sizeMin: number): FoundPart[] {
  const found: FoundPart[] = [];
  let from = 0;
  for (;;) {
    const mark = page.indexOf(marker, from);
    if (mark < 0) return found;
    const payload = mark + marker.length;
    const end = payloadEnd(page, payload);
    const start = headStart(page, mark, Math.max(from, mark - HEAD_BYTES_MAX));
    if (start !== undefined && ((end - payload) / 4) * 3 >= sizeMin) found.push({ start, payload, end });
    from = end;
  }
}

function payloadEnd(page: Buffer, payload: number): number {
  let end = payload;
  while (end < page.length && inAlphabet[page[end]!] === 1) end += 1;
  // At most two characters of padding.
  for (let padding = 0; padding < 2 && page[end] === 0x3d; padding += 1) end += 1;
  return end;
}

/** Back from the marker to the nearest `data:`, in any case; undefined when other characters come first. */
function headStart(page: Buffer, mark: number, floor: number): number | undefined {
  for (let at = mark - 1; at >= floor; at -= 1) {
    if (inHead[page[at]!] !== 1) return undefined;
    if (page[at] !== 0x3a || at - 4 < floor) continue;
    const start = at - 4;
    if (page.toString('latin1', start, at + 1).toLowerCase() === scheme) return start;
  }
  return undefined;
}
