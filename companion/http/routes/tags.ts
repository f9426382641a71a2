import { OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { requireSnapshot, updateSnapshot } from '../../collection/records/snapshots.ts';
import { addTags, findTag, findTagByName, listTags, removeTag } from '../../collection/records/tags.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { jsonBodyRoute, jsonRoute } from '../json-route.ts';
import { requireId } from './snapshots.ts';

const tagSchema = z.object({ id: z.string(), name: z.string(), num_snapshots: z.number().int() });
const changeSchema = z.object({
  snapshot_id: z.string(),
  tag_name: z.string().nullish(),
  tag_id: z.string().nullish(),
});
const changedSchema = z.object({ success: z.boolean(), tag_id: z.string(), tag_name: z.string() });

/** Tags (reference 1.5). */
export function tagRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const { db, bell } = deps.collection;

  app.openapi(
    jsonRoute('get', routes.tags, 'Tags with their counts', z.object({ items: z.array(tagSchema) }), {}),
    (c) =>
      c.json({ items: listTags(db).map((tag) => ({ id: tag.id, name: tag.name, num_snapshots: tag.snapshots })) }, 200),
  );
  app.openapi(
    jsonBodyRoute('post', routes.addTag, 'Add a tag to a snapshot', changeSchema, changedSchema, {}),
    async (c) => {
      const body = c.req.valid('json');
      const id = requireId(body.snapshot_id);
      const tag = await db.write(() => {
        requireSnapshot(db, id);
        const name = body.tag_name ?? (body.tag_id == null ? undefined : findTag(db, body.tag_id)?.name);
        if (name === undefined || name.trim() === '')
          throw new HoldfastError('bad_request', 'Name the tag in tag_name or tag_id.');
        addTags(db, id, [name], Date.now());
        updateSnapshot(db, id, { index_stale: 1 }, Date.now());
        return findTagByName(db, name)!;
      });
      bell.ring();
      return c.json({ success: true, tag_id: tag.id, tag_name: tag.name }, 200);
    },
  );
  app.openapi(
    jsonBodyRoute('post', routes.removeTag, 'Remove a tag from a snapshot', changeSchema, changedSchema, {}),
    async (c) => {
      const body = c.req.valid('json');
      const id = requireId(body.snapshot_id);
      const tag = await db.write(() => {
        requireSnapshot(db, id);
        const found = body.tag_id != null ? findTag(db, body.tag_id) : findTagByName(db, body.tag_name ?? '');
        if (!found) throw new HoldfastError('not_found', 'There is no such tag.');
        removeTag(db, id, found.id);
        updateSnapshot(db, id, { index_stale: 1 }, Date.now());
        return found;
      });
      bell.ring();
      return c.json({ success: true, tag_id: tag.id, tag_name: tag.name }, 200);
    },
  );
  return app;
}
