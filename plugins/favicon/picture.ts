/** Bytes of a `data:` address, or undefined when it is none or is broken. */
export function decodeDataUrl(url: string): Buffer | undefined {
  const match = /^data:[^,]*?(;base64)?,([^]*)$/i.exec(url);
  if (match?.[2] === undefined) return undefined;
  try {
    const text = decodeURIComponent(match[2]);
    return Buffer.from(text, match[1] ? 'base64' : 'utf8');
  } catch {
    return undefined; // A broken escape: nothing to keep.
  }
}

const signatures: readonly string[] = [
  '00000100', // ICO
  '89504e47', // PNG
  '47494638', // GIF
  'ffd8ff', // JPEG
  '52494646', // WebP
  '424d', // BMP
];

/** Sites answer a question for a missing icon with a page; only what begins as a picture is one. */
export function isPicture(bytes: Buffer): boolean {
  const start = bytes.subarray(0, 4).toString('hex');
  return (
    signatures.some((signature) => start.startsWith(signature)) || /<svg[\s>]/i.test(bytes.toString('utf8', 0, 1000))
  );
}
