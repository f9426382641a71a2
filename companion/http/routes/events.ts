import { OpenAPIHono } from '@hono/zod-openapi';
import { streamSSE } from 'hono/streaming';
import { routes } from '../../../shared/protocol/routes.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { describeBytes } from '../json-route.ts';

/** A page that shows progress needs to know that something changed, not what: it asks again for what it shows. */
const QUIET_MS = 200;
const KEEPALIVE_MS = 25_000;

/** `GET /events`: one `changed` event after every burst of changes, in this process or another. */
export function eventRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const summary = 'An event after every burst of changes';
  describeBytes(app, { path: routes.events, summary, type: 'text/event-stream' });
  app.get(routes.events, (c) =>
    streamSSE(c, async (stream) => {
      const ended = new AbortController();
      stream.onAbort(() => ended.abort());
      await stream.writeSSE({ event: 'changed', data: '' });
      let pending = false;
      const stop = deps.collection.bell.onRing(() => {
        pending = true;
      });
      try {
        while (!ended.signal.aborted) {
          if (!pending) await deps.collection.bell.next(KEEPALIVE_MS, ended.signal);
          if (ended.signal.aborted) break;
          const event = pending ? 'changed' : 'still_here';
          await stream.sleep(pending ? QUIET_MS : 0);
          pending = false;
          await stream.writeSSE({ event, data: '' });
        }
      } finally {
        stop();
      }
    }),
  );
  return app;
}
