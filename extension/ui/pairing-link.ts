export interface PairingLink {
  code: string;
  /** Host and port of the companion that shows the code; undefined: the one already set. */
  address: string | undefined;
}

/** Reads `#pair=CODE` or `#pair=CODE&address=127.0.0.1:8745` of this extension's own options page. */
export function readPairingLink(hash: string): PairingLink | undefined {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  const code = parts.get('pair')?.trim();
  return code ? { code, address: parts.get('address')?.trim() || undefined } : undefined;
}
