import { OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { resultOrigins } from '../../../shared/model/states.ts';
import { resultLogSchema } from '../../../shared/protocol/requests.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { backupReminder } from '../../collection/records/backups.ts';
import { countDamaged } from '../../collection/records/fixity.ts';
import { findProcess } from '../../collection/records/processes.ts';
import { findResult } from '../../collection/records/results.ts';
import { countSnapshots, requireSnapshot } from '../../collection/records/snapshots.ts';
import { holdfastVersion } from '../../config/version.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { describeBytes, jsonRoute } from '../json-route.ts';
import { requireId } from './snapshots.ts';

const idParam = z.object({ id: z.string() });
const replayOutputSchema = z.object({
  result_id: z.string(),
  plugin: z.string(),
  path: z.string(),
  kind: z.enum(['page', 'picture', 'text', 'pdf', 'file']),
  label: z.string(),
  url: z.string(),
  fallback_url: z.string().nullable(),
  download_url: z.string(),
  size: z.number().int(),
  digest: z.string(),
  mimetype: z.string(),
  origin: z.enum(resultOrigins),
});
const replaySchema = z.object({
  host: z.string(),
  preferred: z.string().nullable(),
  outputs: z.array(replayOutputSchema),
});
const statusSchema = z.object({
  version: z.string(),
  snapshots: z.number().int(),
  data_folder: z.string(),
  /** A sentence when there was no backup for 30 days. */
  backup_reminder: z.string().nullable(),
  /** Files whose last check found them damaged. */
  damaged_files: z.number().int(),
});

/** What the library's pages need beside the records: replay addresses, thumbnails, logs, status. */
export function libraryRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const { collection } = deps;
  app.openapi(
    jsonRoute('get', `${routes.base}/core/snapshot/{id}/replay`, 'Where a copy can be looked at', replaySchema, {
      params: idParam,
    }),
    (c) => {
      const id = requireId(c.req.valid('param').id);
      requireSnapshot(collection.db, id);
      return c.json(deps.replay.addresses(id), 200);
    },
  );
  describeBytes(app, {
    path: `${routes.base}/core/snapshot/{id}/thumbnail`,
    summary: 'A small picture of the page',
    params: idParam,
    type: 'image/png',
  });
  app.get(`${routes.base}/core/snapshot/:id/thumbnail`, async (c) => {
    const id = requireId(c.req.param('id'));
    requireSnapshot(collection.db, id);
    const thumbnail = await deps.replay.thumbnail(id);
    if (!thumbnail) throw new HoldfastError('not_found', 'There is no picture of this page.');
    const headers = { ETag: thumbnail.etag, 'Cache-Control': 'private, no-cache', 'Content-Type': thumbnail.type };
    if (c.req.header('if-none-match') === thumbnail.etag) return c.body(null, 304, headers);
    return c.body(new Uint8Array(thumbnail.body), 200, headers);
  });
  app.openapi(
    jsonRoute('get', `${routes.base}/core/archiveresult/{id}/log`, 'What its process wrote', resultLogSchema, {
      params: idParam,
    }),
    (c) => {
      const id = requireId(c.req.valid('param').id);
      const result = findResult(collection.db, id);
      if (!result) throw new HoldfastError('not_found', `There is no result ${id}.`);
      const row = result.process_id === null ? undefined : findProcess(collection.db, result.process_id);
      const log = row
        ? { stdout: row.stdout, stderr: row.stderr, exit_code: row.exit_code, running: row.status === 'running' }
        : null;
      return c.json({ log }, 200);
    },
  );
  app.openapi(jsonRoute('get', routes.status, 'What this companion holds', statusSchema, {}), (c) =>
    c.json(
      {
        version: holdfastVersion,
        snapshots: countSnapshots(collection.db),
        data_folder: collection.root,
        backup_reminder: backupReminder(collection.db, Date.now()) ?? null,
        damaged_files: countDamaged(collection.db),
      },
      200,
    ),
  );
  return app;
}
