/** A text document inside a `data:` address. */
export interface DataAddress {
  /** Lower case, without parameters. */
  type: string;
  text: string;
}

/** Undefined when it is no address that a browser would read as one. */
export function parseDataAddress(address: string): DataAddress | undefined {
  // The URL parser drops these wherever they stand.
  const match = /^data:([^,]*),/i.exec(address.trim().replace(/[\t\n\r]/g, ''));
  if (!match) return undefined;
  const head = match[1]!.toLowerCase();
  const type = head.split(';')[0]!.trim();
  const body = percentDecode(match.input.slice(match[0].length));
  const bytes = /;\s*base64\s*$/.test(head) ? Buffer.from(body.toString('latin1'), 'base64') : body;
  const charset = /;\s*charset\s*=\s*["']?([\w.:-]+)/.exec(head)?.[1] ?? 'utf-8';
  // Without a type it is plain text, whatever it looks like.
  return { type: type.includes('/') ? type : 'text/plain', text: decoderOf(charset).decode(bytes) };
}

export function toDataAddress(type: string, text: string): string {
  return `data:${type};charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    // An unknown label: browsers then guess; text of today is UTF-8.
    return new TextDecoder();
  }
}

function percentDecode(text: string): Buffer {
  const bytes = Buffer.from(text);
  const decoded = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const hex = bytes[at] === 0x25 ? bytes.toString('latin1', at + 1, at + 3) : '';
    const isEscape = /^[0-9a-fA-F]{2}$/.test(hex);
    decoded[length] = isEscape ? parseInt(hex, 16) : bytes[at]!;
    if (isEscape) at += 2;
    length += 1;
  }
  return decoded.subarray(0, length);
}
