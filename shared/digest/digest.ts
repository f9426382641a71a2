/** Digests are written `sha256:<64 lower-case hex>` everywhere (DESIGN section 2). */
export type Digest = `sha256:${string}`;

const PATTERN = /^sha256:([0-9a-f]{64})$/;

/** Returns the digest, or undefined when the text is none. Upper case hex is accepted and lowered. */
export function parseDigest(text: string): Digest | undefined {
  const lower = text.trim().toLowerCase();
  return PATTERN.test(lower) ? (lower as Digest) : undefined;
}

export function digestFromHex(hex: string): Digest {
  const digest = parseDigest(`sha256:${hex}`);
  if (!digest) throw new TypeError(`not a sha256 in hex: ${hex}`);
  return digest;
}

export function digestHex(digest: Digest): string {
  return digest.slice('sha256:'.length);
}
