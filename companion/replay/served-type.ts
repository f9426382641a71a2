import path from 'node:path';

/** What the list of outputs calls a thing (look: page, picture, text, PDF, other files). */
export type OutputKind = 'page' | 'picture' | 'text' | 'pdf' | 'file';

export interface ServedType {
  kind: OutputKind;
  /** Content-Type header. */
  contentType: string;
  /** Given to the user as a file instead of being shown. */
  attachment: boolean;
  /**
   * Documents that could reach out or lead elsewhere: pages are rewritten while they are served, drawings are shown
   * inside a page of ours, as pictures, where they can do neither.
   */
  active?: 'html' | 'xml' | 'drawing';
}

const shown = (kind: OutputKind, ...types: string[]): [string, ServedType][] =>
  types.map((type) => [type, { kind, contentType: type, attachment: false }]);

/** Scripts on a snapshot host must see styles and scripts under types that browsers accept from `nosniff`. */
const allowed = new Map<string, ServedType>([
  ['text/html', { kind: 'page', contentType: 'text/html; charset=utf-8', attachment: false, active: 'html' }],
  [
    'application/xhtml+xml',
    { kind: 'page', contentType: 'application/xhtml+xml; charset=utf-8', attachment: false, active: 'xml' },
  ],
  ['image/svg+xml', { kind: 'picture', contentType: 'image/svg+xml', attachment: false, active: 'drawing' }],
  ['text/css', { kind: 'file', contentType: 'text/css; charset=utf-8', attachment: false }],
  ['text/javascript', { kind: 'file', contentType: 'text/javascript; charset=utf-8', attachment: false }],
  ['application/javascript', { kind: 'file', contentType: 'text/javascript; charset=utf-8', attachment: false }],
  ...shown('picture', 'image/png', 'image/apng', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'),
  ...shown('picture', 'image/x-icon', 'image/vnd.microsoft.icon'),
  ...shown('pdf', 'application/pdf'),
  ...shown('file', 'video/mp4', 'video/webm', 'video/ogg', 'audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/webm'),
  ...shown('file', 'audio/wav', 'audio/x-wav', 'audio/flac', 'audio/x-flac', 'audio/aac'),
  ...shown('file', 'font/woff', 'font/woff2', 'font/ttf', 'font/otf'),
]);

const plainText: ServedType = { kind: 'text', contentType: 'text/plain; charset=utf-8', attachment: false };
const download: ServedType = { kind: 'file', contentType: 'application/octet-stream', attachment: true };

/** Readable as text and shown as nothing else: a viewer of JSON or XML would need scripts. */
const textLike = /^text\/|^application\/(json|jsonl|x-ndjson|ndjson|ld\+json|xml|yaml|x-yaml|toml)$|\+(json|xml)$/;
/** Web archives begin like text but are containers of documents. */
const containers = new Set(['multipart/related', 'message/rfc822', 'application/x-mimearchive']);

/** How bytes of a sniffed type are served: an allow-list, everything else is a download (DESIGN section 8). */
export function servedType(mimetype: string, outputPath: string): ServedType {
  const type = mimetype.split(';')[0]!.trim().toLowerCase();
  if (containers.has(type) || /\.(mhtml?|eml)$/i.test(outputPath)) return download;
  return allowed.get(type) ?? (textLike.test(type) ? plainText : download);
}

/** `Content-Disposition` of a download, named after the last part of its path. */
export function attachmentDisposition(outputPath: string): string {
  const name = path.posix.basename(outputPath);
  const plain = name.replace(/[^A-Za-z0-9._-]/g, '_');
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*!]/g, (c) => `%${c.charCodeAt(0).toString(16)}`)}`;
}
