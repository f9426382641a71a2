import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import type { AppEnv } from '../dependencies.ts';

/**
 * The body as it comes from the socket: half again as fast as the web stream made from it. Where there is no socket
 * (an app called directly) the web stream serves. A compressed body is refused: its bytes are not the file's.
 */
export function requestBytes(c: Context<AppEnv>): Readable {
  if (!/^(identity)?$/i.test(c.req.header('content-encoding') ?? '')) {
    throw new HoldfastError('bad_request', 'Files are taken as they are; send the body without compressing it.');
  }
  const bindings = c.env as Partial<HttpBindings> | undefined;
  if (bindings?.incoming) return bindings.incoming;
  const body = c.req.raw.body;
  return body ? Readable.fromWeb(body as ReadableStream) : Readable.from([]);
}

/** Announced length of the body in bytes, or undefined when it comes in pieces of unknown number. */
export function announcedBytes(c: Context<AppEnv>): number | undefined {
  const text = c.req.header('content-length');
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
