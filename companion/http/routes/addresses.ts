import { OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { foundAddressesSchema } from '../../../shared/protocol/requests.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { findAddresses } from '../../import/find-addresses.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { jsonBodyRoute } from '../json-route.ts';

/** Reads a text for addresses and keeps nothing: what is found goes to the reader, who chooses. */
export function addressRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const body = z.object({ text: z.string() });
  app.openapi(
    jsonBodyRoute('post', routes.findAddresses, 'Addresses inside a text', body, foundAddressesSchema, {}),
    (c) => {
      const { text } = c.req.valid('json');
      if (text.includes('\0')) {
        throw new HoldfastError('bad_request', 'This is no text; choose a file of addresses, bookmarks or an export.');
      }
      return c.json(findAddresses(text, deps.checkAddress), 200);
    },
  );
  return app;
}
