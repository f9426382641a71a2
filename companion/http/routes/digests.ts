import { OpenAPIHono, z } from '@hono/zod-openapi';
import { parseDigest, type Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { archiveResultSchema } from '../../../shared/model/api-records.ts';
import { attachFileSchema, digestsRequestSchema, digestsResponseSchema } from '../../../shared/protocol/requests.ts';
import { toResultStatus } from '../../../shared/protocol/result-fields.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { checkOutputPath } from '../../collection/layout.ts';
import { presentResult } from '../../collection/records/present.ts';
import { attachFile, findKnownDigests } from '../../uploads/attach.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { jsonBodyRoute } from '../json-route.ts';
import { requireId } from './snapshots.ts';

const idParam = z.object({ id: z.string() });

/** Files by their digest: what is here already need not be sent (DESIGN section 5). */
export function digestRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const { collection, uploads } = deps;

  app.openapi(
    jsonBodyRoute('post', routes.digests, 'Which digests are here', digestsRequestSchema, digestsResponseSchema, {}),
    async (c) => {
      const digests = c.req.valid('json').digests.map(requireDigest);
      return c.json({ known: await findKnownDigests(collection, c.get('caller').userId, digests) }, 200);
    },
  );
  const attach = jsonBodyRoute(
    'post',
    `${routes.base}/core/archiveresult/{id}/files`,
    'Attach a file by its digest',
    attachFileSchema,
    archiveResultSchema,
    { params: idParam },
  );
  app.openapi(attach, async (c) => {
    const body = c.req.valid('json');
    const target = await uploads.requireTarget(requireId(c.req.valid('param').id));
    const attachment = {
      path: checkOutputPath(body.path),
      digest: requireDigest(body.digest),
      declaredType: body.mimetype ?? '',
      status: toResultStatus(body.status ?? 'succeeded'),
    };
    const result = await attachFile(collection, c.get('caller').userId, target, attachment, uploads.limits);
    return c.json(presentResult(collection, result, target.snapshot), 200);
  });
  return app;
}

function requireDigest(text: string): Digest {
  const digest = parseDigest(text);
  if (digest) return digest;
  throw new HoldfastError(
    'bad_request',
    `${JSON.stringify(text.slice(0, 80))} is no digest; write sha256:<64 hex digits>.`,
  );
}
