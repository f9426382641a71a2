import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { uiOrigins } from '../../../shared/protocol/hosts.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import type { Access, Caller } from '../../auth/access.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { hostKind, isExtensionOrigin } from '../host-kind.ts';

/** Tied to this host by its prefix, so no other program on the machine can set or overwrite it. */
export const sessionCookie = '__Host-holdfast';

/** Routes that answer without a token; each proves nothing and gives nothing away. */
const OPEN_PATHS = new Set<string>([
  routes.hello,
  routes.pair,
  routes.session,
  '/api/',
  '/api',
  '/api/v1',
  '/api/v1/',
  routes.checkToken,
]);

/** Refuses what came to a wrong host, from a web page, or without a token (DESIGN section 8). */
export function guard(deps: Pick<AppDeps, 'access' | 'port'>): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const port = deps.port();
    const origin = c.req.header('origin');
    const own = origin !== undefined && uiOrigins(port).includes(origin);
    if (origin !== undefined && !own && !isExtensionOrigin(origin)) {
      throw new HoldfastError(
        'forbidden_origin',
        'Web pages may not talk to Holdfast; use the extension or the library.',
      );
    }
    refuseForeignFetch(c, origin);
    if (origin !== undefined && isExtensionOrigin(origin) && deps.access.isPairedOrigin(origin)) allowOrigin(c, origin);
    if (c.req.method === 'OPTIONS') return c.body(null, 204);
    if (OPEN_PATHS.has(c.req.path)) return next();
    c.set('caller', requireCaller(c, deps.access, origin, port));
    return next();
  };
}

/** A page of another site that makes a request without an Origin (an image, a script) is known by Sec-Fetch-Site. */
function refuseForeignFetch(c: Context<AppEnv>, origin: string | undefined): void {
  const site = c.req.header('sec-fetch-site');
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  if (origin !== undefined && isExtensionOrigin(origin)) return;
  throw new HoldfastError('forbidden_origin', 'This address answers only the Holdfast library and paired extensions.');
}

function allowOrigin(c: Context<AppEnv>, origin: string): void {
  c.header('Access-Control-Allow-Origin', origin);
  c.header('Vary', 'Origin');
  c.header('Access-Control-Allow-Methods', 'GET, POST, PUT, PATCH, DELETE');
  c.header('Access-Control-Allow-Headers', 'Authorization, Content-Type, X-ArchiveBox-API-Key');
  c.header('Access-Control-Expose-Headers', 'X-Upload-Received, Retry-After');
}

function requireCaller(c: Context<AppEnv>, access: Access, origin: string | undefined, port: number): Caller {
  const token = tokenOf(c);
  if (token !== undefined) return access.requireToken(token);
  const secret = getCookie(c, sessionCookie);
  // A session acts only from the UI's own pages: same-origin fetches, and writes that name the UI as their origin.
  const sameOrigin =
    c.req.header('sec-fetch-site') === 'same-origin' || (origin !== undefined && uiOrigins(port).includes(origin));
  const reads = c.req.method === 'GET' || c.req.method === 'HEAD';
  const session =
    secret !== undefined && sameOrigin && (reads || origin !== undefined) ? access.findSession(secret) : undefined;
  if (session) return session;
  throw new HoldfastError('unauthenticated', 'Sign in with the link that "holdfast serve" printed, or send a token.');
}

/** Tokens come in headers only: an address ends up in logs and histories. */
function tokenOf(c: Context<AppEnv>): string | undefined {
  const bearer = /^Bearer\s+(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  return c.req.header('x-archivebox-api-key') ?? bearer;
}

/** The kind of host this request came to; throws 421 for a name that is not ours. */
export function requireHost(hostHeader: string | undefined, port: number): NonNullable<ReturnType<typeof hostKind>> {
  const kind = hostKind(hostHeader, port);
  if (kind) return kind;
  throw new HoldfastError('wrong_host', 'This is not an address of Holdfast.');
}
