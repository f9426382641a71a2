import { OpenAPIHono, z } from '@hono/zod-openapi';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import {
  companionName,
  helloRequestSchema,
  helloResponseSchema,
  pairRequestSchema,
  pairResponseSchema,
  protocolVersion,
} from '../../../shared/protocol/hello.ts';
import { uiOrigins } from '../../../shared/protocol/hosts.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { holdfastVersion } from '../../config/version.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { isExtensionOrigin } from '../host-kind.ts';
import { jsonBodyRoute, jsonRoute } from '../json-route.ts';
import { sessionCookie } from '../middleware/guard.ts';

const done = z.object({ success: z.boolean() });
const pairingSchema = z.object({
  id: z.string(),
  name: z.string(),
  created_at: z.iso.datetime(),
  origin: z.string(),
  /** Both sides show it, so that a person can see they talk to each other. */
  fingerprint: z.string(),
});
const codeSchema = z.object({ code: z.string(), expires_in_seconds: z.number().int() });

/** Hello, pairing, sessions: how a browser and this companion come to trust each other (DESIGN section 8). */
export function accessRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  addHello(app, deps);
  addPairing(app, deps);
  addSession(app, deps);
  const check = jsonBodyRoute(
    'post',
    routes.checkToken,
    'Is this token good?',
    z.object({ token: z.string() }),
    z.object({ success: z.boolean(), user_id: z.string().nullable() }),
    {},
  );
  app.openapi(check, (c) => {
    try {
      const caller = deps.access.requireToken(c.req.valid('json').token);
      return c.json({ success: true, user_id: caller.userId }, 200);
    } catch (error) {
      if (error instanceof HoldfastError) return c.json({ success: false, user_id: null }, 200);
      throw error;
    }
  });
  return app;
}

function addHello(app: OpenAPIHono<AppEnv>, deps: AppDeps): void {
  app.openapi(
    jsonBodyRoute('post', routes.hello, 'Prove who answers', helloRequestSchema, helloResponseSchema, {}),
    (c) => {
      const { nonce, pairing_id: pairingId } = c.req.valid('json');
      const proof = pairingId === undefined ? undefined : deps.access.prove(pairingId, nonce, deps.port());
      return c.json(
        {
          name: companionName,
          version: holdfastVersion,
          protocol: protocolVersion,
          protocol_oldest: protocolVersion,
          port: deps.port(),
          ui: uiOrigins(deps.port())[0]!,
          proof: proof ?? null,
          unknown_pairing: pairingId !== undefined && proof === undefined,
        } as const,
        200,
      );
    },
  );
}

function addPairing(app: OpenAPIHono<AppEnv>, deps: AppDeps): void {
  app.openapi(
    jsonBodyRoute('post', routes.pair, 'Exchange a pairing code', pairRequestSchema, pairResponseSchema, {}),
    async (c) => {
      const origin = c.req.header('origin') ?? '';
      if (origin !== '' && !isExtensionOrigin(origin)) {
        throw new HoldfastError(
          'forbidden_origin',
          'Only a browser extension or a program on this computer can be paired.',
        );
      }
      const { code, name } = c.req.valid('json');
      const paired = await deps.access.pair(code, name, origin);
      deps.collection.bell.ring();
      return c.json(paired, 200);
    },
  );
  app.openapi(
    jsonRoute('get', `${routes.base}/pairings`, 'Paired browsers', z.object({ pairings: z.array(pairingSchema) }), {}),
    (c) => {
      const pairings = deps.access.pairings().map((row) => ({
        id: row.id,
        name: row.name,
        created_at: new Date(row.created_at).toISOString(),
        origin: row.origin,
        fingerprint: deps.access.fingerprint(row),
      }));
      return c.json({ pairings }, 200);
    },
  );
  app.openapi(jsonRoute('post', `${routes.base}/pairings/code`, 'Make a pairing code', codeSchema, {}), async (c) =>
    c.json({ code: await deps.access.newPairingCode(), expires_in_seconds: limits.pairingCodeMs / 1000 }, 200),
  );
  const remove = jsonRoute('delete', `${routes.base}/pairings/{id}`, 'Unpair a browser', done, {
    params: z.object({ id: z.string() }),
  });
  app.openapi(remove, async (c) => {
    const success = await deps.access.revokePairing(c.req.valid('param').id);
    if (!success) throw new HoldfastError('not_found', 'This browser is not paired.');
    deps.collection.bell.ring();
    return c.json({ success }, 200);
  });
}

function addSession(app: OpenAPIHono<AppEnv>, deps: AppDeps): void {
  const login = jsonBodyRoute(
    'post',
    routes.session,
    'Open a session with a login code',
    z.object({ code: z.string() }),
    done,
    {},
  );
  app.openapi(login, async (c) => {
    const origin = c.req.header('origin');
    if (origin === undefined || !uiOrigins(deps.port()).includes(origin)) {
      throw new HoldfastError('forbidden_origin', 'Open the login link in your browser to sign in.');
    }
    const secret = await deps.access.login(c.req.valid('json').code);
    setCookie(c, sessionCookie, secret, {
      httpOnly: true,
      secure: true,
      sameSite: 'Strict',
      path: '/',
      maxAge: limits.sessionMs / 1000,
    });
    return c.json({ success: true }, 200);
  });
  app.openapi(
    jsonRoute('get', routes.session, 'Is this browser signed in?', z.object({ signed_in: z.boolean() }), {}),
    (c) => {
      const secret = getCookie(c, sessionCookie);
      const sameOrigin = c.req.header('sec-fetch-site') === 'same-origin';
      return c.json(
        { signed_in: sameOrigin && secret !== undefined && deps.access.findSession(secret) !== undefined },
        200,
      );
    },
  );
  app.openapi(jsonRoute('delete', routes.session, 'Sign out', done, {}), async (c) => {
    const secret = getCookie(c, sessionCookie);
    const origin = c.req.header('origin');
    if (secret !== undefined && origin !== undefined && uiOrigins(deps.port()).includes(origin))
      await deps.access.logout(secret);
    deleteCookie(c, sessionCookie, { secure: true, path: '/' });
    return c.json({ success: true }, 200);
  });
}
