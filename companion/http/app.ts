import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { newId } from '../../shared/model/ids.ts';
import { companionName } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { holdfastVersion } from '../config/version.ts';
import type { AppDeps, AppEnv } from './dependencies.ts';
import { errorResponse } from './error-response.ts';
import { jsonRoute } from './json-route.ts';
import { guard, requireHost } from './middleware/guard.ts';
import { accessRoutes } from './routes/access.ts';
import { addressRoutes } from './routes/addresses.ts';
import { archiveResultRoutes } from './routes/archiveresults.ts';
import { crawlRoutes } from './routes/crawls.ts';
import { digestRoutes } from './routes/digests.ts';
import { eventRoutes } from './routes/events.ts';
import { libraryRoutes } from './routes/library.ts';
import { snapshotRoutes } from './routes/snapshots.ts';
import { tagRoutes } from './routes/tags.ts';
import { trashRoutes } from './routes/trash.ts';

const indexSchema = z.object({ name: z.string(), version: z.string(), api: z.string() });

/** The whole HTTP edge: hosts, then who may ask, then the routes. */
export function createApp(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>({ defaultHook: refuseInvalid });
  app.onError((error, c) => errorResponse(error, c, deps.log));
  app.notFound((c) => errorResponse(new HoldfastError('not_found', `There is nothing at ${c.req.path}.`), c, deps.log));
  app.use('*', async (c, next) => {
    c.set('requestId', newId());
    const host = requireHost(c.req.header('host'), deps.port());
    if (host.kind === 'replay') return deps.replay.handle(host.label, c.req.raw);
    return next();
  });
  app.use(
    '/api/*',
    secureHeaders({ crossOriginResourcePolicy: 'same-origin', xFrameOptions: 'DENY' }),
    noStore,
    guard(deps),
  );
  app.use('/api', noStore, guard(deps));
  app.use('/api/*', smallBodies);
  for (const path of ['/api', '/api/', routes.base, `${routes.base}/`]) {
    app.openapi(jsonRoute('get', path, 'What answers here', indexSchema, {}), (c) =>
      c.json({ name: companionName, version: holdfastVersion, api: routes.base }, 200),
    );
  }
  for (const part of [accessRoutes, snapshotRoutes, tagRoutes, crawlRoutes, libraryRoutes]) app.route('/', part(deps));
  for (const part of [addressRoutes, archiveResultRoutes, digestRoutes, eventRoutes, trashRoutes])
    app.route('/', part(deps));
  app.doc31(`${routes.base}/openapi.json`, { openapi: '3.1.0', info: { title: 'Holdfast', version: holdfastVersion } });
  app.on(['GET', 'HEAD'], '*', (c) => (c.req.path.startsWith('/api') ? c.notFound() : serveWeb(c, deps)));
  return app;
}

const noStore = async (c: Context<AppEnv>, next: () => Promise<void>): Promise<void> => {
  await next();
  if (!c.res.headers.has('Cache-Control')) c.header('Cache-Control', 'no-store');
};

const jsonLimit = bodyLimit({
  maxSize: limits.jsonBodyBytesMax,
  onError: () => {
    throw new HoldfastError('too_large', `The request is larger than ${limits.jsonBodyBytesMax} bytes.`);
  },
});

/** Uploads have limits of their own and are streamed; every other body is small. */
const smallBodies = (c: Context<AppEnv>, next: () => Promise<void>): Promise<Response | void> =>
  c.req.path.startsWith(`${routes.base}/core/archiveresult`) ? next() : jsonLimit(c, next);

async function serveWeb(c: Context<AppEnv>, deps: AppDeps): Promise<Response> {
  const site = c.req.header('sec-fetch-site');
  const navigates = c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !navigates) {
    throw new HoldfastError('forbidden_origin', 'This address answers only the Holdfast library.');
  }
  const answer = await deps.web.serve(c.req.path, c.req.query('scripts'));
  return c.body(new Uint8Array(answer.body), answer.status as 200, answer.headers);
}

function refuseInvalid(result: { success: boolean; error?: unknown }): void {
  if (result.success) return;
  const issues = (result.error as { issues?: { path: PropertyKey[]; message: string }[] }).issues ?? [];
  const first = issues[0];
  const where = first && first.path.length > 0 ? `${first.path.map(String).join('.')}: ` : '';
  throw new HoldfastError(
    'unprocessable',
    `The request is not understood: ${where}${first?.message ?? 'wrong shape'}.`,
  );
}
