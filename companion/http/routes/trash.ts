import { OpenAPIHono, z } from '@hono/zod-openapi';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { snapshotSchema } from '../../../shared/model/api-records.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { FiguresThread } from '../../collection/figures-thread.ts';
import { presentSnapshots } from '../../collection/records/present.ts';
import { expireTrash, listTrash, restoreSnapshot, type TrashCursor } from '../../collection/records/trash.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { jsonBodyRoute, jsonRoute } from '../json-route.ts';
import { requireId } from './snapshots.ts';

const trashSchema = z.object({ items: z.array(snapshotSchema), next: z.string().nullable() });
const figuresSchema = z.object({
  /** Pages in the trash. */
  pages: z.number().int(),
  /** Bytes on disk that only they need. */
  freeable_bytes: z.number().int(),
});
const emptySchema = z.object({
  /** True only counts. */
  dry_run: z.boolean().default(false),
});
const trashQuerySchema = z.object({
  limit: z.coerce.number().int().min(1).default(limits.listPageDefault),
  cursor: z.string().optional(),
});

/** Rows marked in one turn on the server's connection. */
const expiredPerTurn = 200;

/** What was deleted and can be taken back (DESIGN section 4). */
export function trashRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const { collection } = deps;
  const figures = new FiguresThread();
  app.openapi(
    jsonRoute('get', routes.trash, 'Deleted snapshots, the last first', trashSchema, { query: trashQuerySchema }),
    (c) => {
      const query = c.req.valid('query');
      const limit = Math.min(query.limit, limits.listPageMax);
      const rows = listTrash(
        collection.db,
        limit + 1,
        query.cursor === undefined ? undefined : parseCursor(query.cursor),
      );
      const page = rows.slice(0, limit);
      const last = page.at(-1);
      const next = rows.length > limit && last ? `${last.trashed_at}~${last.id}` : null;
      return c.json({ items: presentSnapshots(collection, page, { withResults: false }), next }, 200);
    },
  );
  const empty = jsonBodyRoute(
    'post',
    routes.emptyTrash,
    'Delete for good what is in the trash, or count it',
    emptySchema,
    figuresSchema,
    {},
  );
  app.openapi(empty, async (c) => {
    const found = await figures.ask({ database: collection.layout.database() });
    if (!found) throw new HoldfastError('internal', 'The trash could not be counted; try again.');
    if (!c.req.valid('json').dry_run) await expireAll(deps);
    return c.json({ pages: found.pages, freeable_bytes: found.freeableBytes }, 200);
  });
  app.openapi(
    jsonRoute('post', `${routes.base}/core/snapshot/{id}/restore`, 'Take a snapshot out of the trash', snapshotSchema, {
      params: z.object({ id: z.string() }),
    }),
    async (c) => {
      const id = requireId(c.req.valid('param').id);
      const row = await collection.db.write(() => restoreSnapshot(collection.db, id, Date.now()));
      collection.bell.ring();
      return c.json(presentSnapshots(collection, [row], { withResults: true })[0]!, 200);
    },
  );
  return app;
}

/** The rows say what is to go; the runner deletes. */
async function expireAll({ collection }: AppDeps): Promise<void> {
  const now = Date.now();
  while ((await collection.db.write(() => expireTrash(collection.db, now, expiredPerTurn))) > 0) await nextTurn();
  collection.bell.ring();
}

function parseCursor(text: string): TrashCursor {
  const match = /^(\d{1,16})~([0-9a-f-]{36})$/.exec(text);
  if (!match?.[1] || !match[2])
    throw new HoldfastError('bad_request', 'This cursor is not one of ours; begin again without it.');
  return { trashedAt: Number(match[1]), id: match[2] };
}
