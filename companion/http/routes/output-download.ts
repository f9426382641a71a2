import type { Context } from 'hono';
import path from 'node:path';
import { Readable } from 'node:stream';
import { parseDigest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import type { ByteRange } from '../../collection/blobs/byte-range.ts';
import { checkOutputPath } from '../../collection/layout.ts';
import { findOutput } from '../../collection/records/results.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { requireId } from './snapshots.ts';

/**
 * One recorded output as a download, from its blob. It is never shown in place: this host is the API's, and pages are
 * looked at on the replay host.
 */
export async function outputDownload(deps: AppDeps, c: Context<AppEnv>): Promise<Response> {
  const { collection, uploads } = deps;
  const target = await uploads.requireTarget(requireId(c.req.param('id') ?? ''));
  const outputPath = pathFrom(c.req.path);
  const output = findOutput(collection.db, target.result.id, outputPath);
  const digest = output && parseDigest(output.digest);
  if (!output || !digest)
    throw new HoldfastError('not_found', `This result has no file ${JSON.stringify(outputPath)}.`);
  if ((await collection.blobs.size(digest)) === undefined) {
    throw new HoldfastError('not_found', `The bytes of ${JSON.stringify(outputPath)} are missing from the collection.`);
  }
  const headers: Record<string, string> = {
    ETag: `"${digest}"`,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Disposition': disposition(path.posix.basename(outputPath)),
    'Content-Type': output.mimetype,
  };
  if (c.req.header('if-none-match')?.includes(headers['ETag']!)) return c.body(null, 304, headers);
  const usesRange = c.req.header('if-range') === undefined || c.req.header('if-range') === headers['ETag'];
  const range = usesRange ? parseRange(c.req.header('range'), output.size) : undefined;
  if (range === 'unsatisfiable') return c.body(null, 416, { ...headers, 'Content-Range': `bytes */${output.size}` });
  const length = range ? range.end - range.start + 1 : output.size;
  const answer = {
    ...headers,
    'Content-Length': String(length),
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${output.size}` } : {}),
  };
  if (c.req.method === 'HEAD' || length === 0) return c.body(null, range ? 206 : 200, answer);
  const bytes = Readable.toWeb(collection.blobs.read(digest, range)) as ReadableStream;
  return c.body(bytes, range ? 206 : 200, answer);
}

function pathFrom(requestPath: string): string {
  const encoded = requestPath.slice(requestPath.indexOf('/file/') + '/file/'.length);
  try {
    return checkOutputPath(encoded.split('/').map(decodeURIComponent).join('/'));
  } catch (error) {
    if (error instanceof URIError)
      throw new HoldfastError('invalid_path', 'The path in the address is not encoded properly.', { cause: error });
    throw error;
  }
}

/** One range of bytes; several at once, and what is no range, are answered with the whole file. */
function parseRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const suffix = match[1] === '';
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1]);
  const end = suffix || match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (start >= size || (suffix && Number(match[2]) === 0)) return 'unsatisfiable';
  return end < start ? undefined : { start, end };
}

function disposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
