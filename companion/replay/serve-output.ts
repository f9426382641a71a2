import { Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { digestHex, parseDigest, type Digest } from '../../shared/digest/digest.ts';
import { limits } from '../../shared/limits.ts';
import type { BlobStore } from '../collection/blobs/blob-store.ts';
import type { OutputRow } from '../collection/records/tables.ts';
import { isUnchanged, requestedRange } from './byte-range.ts';
import { pageOfDrawing, wantsDrawingItself } from './drawing-page.ts';
import { hasOwnDeclarations } from './rewrite/declaration.ts';
import type { RewriteThread } from './rewrite/rewrite-thread.ts';
import { attachmentDisposition, servedType, type ServedType } from './served-type.ts';

/** Raise when pages are served in another way, so that no browser keeps what an older version served. */
const PAGE_VERSION = 1;
/** Where a document declares things, if it does. */
const BEGINNING_BYTES = 64 * 1024;

export interface ServeContext {
  blobs: BlobStore;
  pages: RewriteThread;
  /** Address of the snapshot. */
  documentUrl: string;
  linkPrefix: string;
  /** Headers every response carries; this call adds to them. */
  headers: Headers;
  mayCache: boolean;
}

interface Served {
  request: Request;
  digest: Digest;
  type: ServedType;
  context: ServeContext;
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
  const served: Served = { request, digest, type, context };
  if (type.active === 'html' || type.active === 'xml') return servePage(served);
  if (type.active === 'drawing' && !wantsDrawingItself(request)) {
    return finish(served, 'text/html; charset=utf-8', pageTag(digest), () => pageOfDrawing(request));
  }
  if (type.attachment) context.headers.set('Content-Disposition', attachmentDisposition(output.path));
  return serveBytes(served, size);
}

async function servePage(served: Served): Promise<Response> {
  const { digest, type, context } = served;
  const isXml = type.active === 'xml' && !hasOwnDeclarations(await readBeginning(context.blobs, digest));
  const page = { documentUrl: context.documentUrl, linkPrefix: context.linkPrefix, xml: isXml };
  const contentType = type.active === 'xml' && !isXml ? 'text/html; charset=utf-8' : type.contentType;
  return finish(served, contentType, pageTag(digest), () =>
    toWeb(Readable.from(context.pages.rewrite(context.blobs.read(digest), page))),
  );
}

/** A page carries headers and links that a new version of this program may change: browsers ask again each time. */
function finish(served: Served, contentType: string, etag: string, body: () => BodyInit): Response {
  const { headers, mayCache } = served.context;
  headers.set('Content-Type', contentType);
  headers.set('ETag', etag);
  headers.set('Cache-Control', mayCache ? 'private, no-cache' : 'no-store');
  // The same address is a page or a picture, by what it is loaded for.
  headers.set('Vary', 'Sec-Fetch-Dest');
  if (isUnchanged(served.request.headers, etag)) return new Response(null, { status: 304, headers });
  return new Response(served.request.method === 'HEAD' ? null : body(), { headers });
}

function serveBytes({ request, digest, type, context }: Served, size: number): Response {
  const { headers } = context;
  const etag = `"${digestHex(digest)}"`;
  headers.set('Content-Type', type.contentType);
  headers.set('ETag', etag);
  headers.set('Cache-Control', bytesCacheControl(request, digest, context.mayCache));
  headers.set('Accept-Ranges', 'bytes');
  if (type.active) headers.set('Vary', 'Sec-Fetch-Dest');
  if (isUnchanged(request.headers, etag)) return new Response(null, { status: 304, headers });
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

/** An address that names its bytes may be kept as long as its label lives; under any other a path can get new bytes. */
function bytesCacheControl(request: Request, digest: Digest, mayCache: boolean): string {
  if (!mayCache) return 'no-store';
  const namesBytes = new URL(request.url).searchParams.get('v') === versionOf(digest);
  return namesBytes ? `private, max-age=${limits.replayLabelMs / 1000}, immutable` : 'private, no-cache';
}

/** Names the bytes of an output in its address. */
export function versionOf(digest: Digest): string {
  return digestHex(digest).slice(0, 16);
}

function pageTag(digest: Digest): string {
  return `"${digestHex(digest)}-${PAGE_VERSION}"`;
}

async function readBeginning(blobs: BlobStore, digest: Digest): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of blobs.read(digest, { start: 0, end: BEGINNING_BYTES - 1 })) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('latin1');
}

/** Node's and the DOM's types of the same stream differ only on paper. */
function toWeb(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as NodeReadableStream<Uint8Array> as ReadableStream<Uint8Array>;
}
