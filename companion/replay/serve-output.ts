import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { digestHex, parseDigest } from '../../shared/digest/digest.ts';
import { limits } from '../../shared/limits.ts';
import type { BlobStore } from '../collection/blobs/blob-store.ts';
import type { OutputRow } from '../collection/records/tables.ts';
import { isUnchanged, requestedRange } from './byte-range.ts';
import { attachmentDisposition, servedType } from './served-type.ts';
import { rewriteStream } from './rewrite/rewrite-stream.ts';

/** Raise when the rewriting changes, so that no browser keeps what an older one served. */
const REWRITE_VERSION = 1;

export interface ServeContext {
  blobs: BlobStore;
  /** Address of the snapshot. */
  documentUrl: string;
  linkPrefix: string;
  /** Headers every response carries; this call adds to them. */
  headers: Headers;
  mayCache: boolean;
}

/** One recorded output as a response to GET or HEAD. Undefined when its bytes are not on disk. */
export async function serveOutput(
  request: Request,
  output: OutputRow,
  context: ServeContext,
): Promise<Response | undefined> {
  const digest = parseDigest(output.digest);
  const size = digest && (await context.blobs.size(digest));
  if (!digest || size === undefined) return undefined;
  const type = servedType(output.mimetype, output.path);
  const { headers } = context;
  const etag = type.markup ? `"${digestHex(digest)}-${REWRITE_VERSION}"` : `"${digestHex(digest)}"`;
  headers.set('Content-Type', type.contentType);
  headers.set('ETag', etag);
  headers.set('Cache-Control', cacheControl(request, digestHex(digest), type.markup !== undefined, context.mayCache));
  if (type.attachment) headers.set('Content-Disposition', attachmentDisposition(output.path));
  if (isUnchanged(request.headers, etag)) return new Response(null, { status: 304, headers });
  if (type.markup) {
    if (request.method === 'HEAD') return new Response(null, { headers });
    const page = { documentUrl: context.documentUrl, linkPrefix: context.linkPrefix, xml: type.markup === 'xml' };
    return new Response(toWeb(Readable.from(rewriteStream(context.blobs.read(digest), page))), { headers });
  }
  headers.set('Accept-Ranges', 'bytes');
  const range = requestedRange(request.headers, size, etag);
  if (range === 'unsatisfiable') {
    headers.set('Content-Range', `bytes */${size}`);
    return new Response(null, { status: 416, headers });
  }
  if (range) headers.set('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
  headers.set('Content-Length', String(range ? range.end - range.start + 1 : size));
  const body = request.method === 'HEAD' || size === 0 ? null : toWeb(context.blobs.read(digest, range));
  return new Response(body, { status: range ? 206 : 200, headers });
}

/**
 * An address that names its bytes may be kept as long as the label lives; all others are asked about again, because a
 * path can get new bytes and a page carries headers and links that a new version of this program may change.
 */
function cacheControl(request: Request, hex: string, isMarkup: boolean, mayCache: boolean): string {
  if (!mayCache) return 'no-store';
  const named = new URL(request.url).searchParams.get('v');
  if (isMarkup || named !== versionOf(hex)) return 'private, no-cache';
  return `private, max-age=${limits.replayLabelMs / 1000}, immutable`;
}

/** Names the bytes of an output in its address. */
export function versionOf(hex: string): string {
  return hex.slice(0, 16);
}

/** Node's and the DOM's types of the same stream differ only on paper. */
function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>;
}
