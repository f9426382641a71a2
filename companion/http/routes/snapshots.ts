import { OpenAPIHono, z } from '@hono/zod-openapi';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { snapshotSchema } from '../../../shared/model/api-records.ts';
import { isId, normalizeId } from '../../../shared/model/ids.ts';
import { lifecycleStatuses } from '../../../shared/model/states.ts';
import {
  createSnapshotSchema,
  patchSnapshotSchema,
  type CreateSnapshotRequest,
  type PatchSnapshotRequest,
} from '../../../shared/protocol/requests.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { parseShownUrl, parseWebUrl } from '../../../shared/url/web-url.ts';
import { checkPluginName } from '../../collection/layout.ts';
import { presentSnapshots } from '../../collection/records/present.ts';
import { requestFailed, requestFetch, requestPlugins, requestSnapshot } from '../../collection/records/requests.ts';
import {
  ensureSnapshot,
  requireSnapshot,
  setTitle,
  updateSnapshot,
  type NewSnapshot,
} from '../../collection/records/snapshots.ts';
import type { SnapshotRow } from '../../collection/records/tables.ts';
import { replaceTags } from '../../collection/records/tags.ts';
import { trashSnapshot } from '../../collection/records/trash.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { jsonBodyRoute, jsonRoute } from '../json-route.ts';
import { listPage, pageQuerySchema, snapshotPageSchema } from '../snapshot-page.ts';

const idParam = z.object({ id: z.string() });
const deletedSchema = z.object({
  success: z.boolean(),
  snapshot_id: z.string(),
  crawl_id: z.string(),
  deleted_count: z.number().int(),
});

/** Snapshots over REST (reference 1.3 and DESIGN section 5). */
export function snapshotRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const { collection } = deps;
  const present = (row: SnapshotRow) => presentSnapshots(collection, [row], { withResults: true })[0]!;

  app.openapi(
    jsonBodyRoute('post', routes.snapshots, 'Make or find a snapshot', createSnapshotSchema, snapshotSchema, {}),
    async (c) => {
      const row = await createSnapshot(deps, c.req.valid('json'), c.get('caller').userId);
      collection.bell.ring();
      return c.json(present(row), 200);
    },
  );
  const list = jsonRoute('get', routes.snapshots, 'List snapshots, newest first', snapshotPageSchema, {
    query: pageQuerySchema,
  });
  app.openapi(list, async (c) => c.json(await listPage(deps, c.req.valid('query'), c.req.raw.signal), 200));
  app.openapi(
    jsonRoute('get', `${routes.base}/core/snapshot/{id}`, 'One snapshot', snapshotSchema, { params: idParam }),
    (c) => c.json(present(requireSnapshot(collection.db, requireId(c.req.valid('param').id))), 200),
  );
  const patch = jsonBodyRoute(
    'patch',
    `${routes.base}/core/snapshot/{id}`,
    'Change a snapshot',
    patchSnapshotSchema,
    snapshotSchema,
    { params: idParam },
  );
  app.openapi(patch, async (c) => {
    const id = requireId(c.req.valid('param').id);
    const body = c.req.valid('json');
    await collection.db.write(() => patchSnapshot(deps, id, body));
    collection.bell.ring();
    return c.json(present(requireSnapshot(collection.db, id)), 200);
  });
  app.openapi(
    jsonRoute('delete', `${routes.base}/core/snapshot/{id}`, 'Move a snapshot to the trash', deletedSchema, {
      params: idParam,
    }),
    async (c) => {
      const id = requireId(c.req.valid('param').id);
      const row = requireSnapshot(collection.db, id);
      await collection.db.write(() => trashSnapshot(collection.db, id, Date.now()));
      collection.bell.ring();
      return c.json({ success: true, snapshot_id: id, crawl_id: row.crawl_id, deleted_count: 1 }, 200);
    },
  );
  return app;
}

async function createSnapshot(deps: AppDeps, body: CreateSnapshotRequest, ownerId: string): Promise<SnapshotRow> {
  const { collection } = deps;
  const source = body.source ?? 'companion';
  const parsed = source === 'browser' ? parseShownUrl(body.url) : parseWebUrl(body.url);
  if (!parsed.ok) throw new HoldfastError('invalid_url', `${body.url.slice(0, 200)} ${parsed.reason}.`);
  // What the browser shows it may keep, wherever it came from; only what the companion would fetch is refused here.
  const allowed = source === 'browser' ? deps.checkOwnAddress(parsed.url) : deps.checkAddress(parsed.url);
  if (!allowed.ok) throw new HoldfastError('refused_address', `${allowed.reason}.`);
  const input = await collection.gate.promoteBytes(Buffer.from(`${parsed.url}\n`));
  const now = Date.now();
  const wanted: NewSnapshot = {
    id: body.id === undefined ? undefined : requireId(body.id),
    url: parsed.url,
    ownerId,
    crawlId: body.crawl_id == null ? undefined : requireId(body.crawl_id),
    depth: body.depth,
    title: body.title ?? undefined,
    titleOrigin: body.title_origin ?? 'browser',
    tags: body.tags ?? [],
    notes: body.notes ?? '',
    source,
    expectedCaptures: source === 'browser' ? (body.expected_captures ?? []) : [],
    bookmarkedAt: body.bookmarked_at === undefined ? now : Date.parse(body.bookmarked_at),
    permissions: body.permissions ?? deps.settings.PERMISSIONS,
    deleteAfter: deps.settings.DELETE_AFTER,
    inputDigest: input.digest,
  };
  return collection.db.write(() => ensureSnapshot(collection.db, wanted, now).row);
}

function patchSnapshot(deps: AppDeps, id: string, body: PatchSnapshotRequest): void {
  const { db } = deps.collection;
  const now = Date.now();
  const { url } = requireSnapshot(db, id);
  if (body.action != null) {
    if (body.action === 'fetch') requireOnWeb(url);
    if (body.action === 'fetch') requestFetch(db, id, now);
    else if (body.action === 'retry') requestFailed(db, id, now);
    else requestSnapshot(db, id, body.action === 'unpause' ? 'resume' : body.action, now);
  } else if (body.status != null) applyStatus(deps, id, body.status, now);
  if (body.title != null) setTitle(db, id, body.title, 'user', now);
  if (body.tags != null) replaceTags(db, id, body.tags, now);
  if (body.notes != null) updateSnapshot(db, id, { notes: body.notes.slice(0, limits.noteLengthMax) }, now);
  if (body.permissions != null) updateSnapshot(db, id, { permissions: body.permissions }, now);
  if (body.retry_plugins != null) requestPlugins(db, id, body.retry_plugins.map(checkPluginName), now);
  if ([body.title, body.tags, body.notes, body.permissions].some((change) => change != null))
    updateSnapshot(db, id, { index_stale: 1 }, now);
}

/** Files and the browser's own pages are kept as seen; the companion has no way to them. */
function requireOnWeb(url: string): void {
  if (parseWebUrl(url).ok) return;
  const shown = url.slice(0, 200);
  throw new HoldfastError('refused_address', `Only your browser can see ${shown}, so Holdfast cannot fetch it itself.`);
}

function applyStatus(deps: AppDeps, id: string, status: string, now: number): void {
  if (!(lifecycleStatuses as readonly string[]).includes(status)) {
    throw new HoldfastError(
      'bad_request',
      `${JSON.stringify(status)} is no status; use one of ${lifecycleStatuses.join(', ')}.`,
    );
  }
  if (status === 'sealed') requestSnapshot(deps.collection.db, id, 'cancel', now);
  if (status === 'paused') requestSnapshot(deps.collection.db, id, 'pause', now);
  if (status === 'queued') requestSnapshot(deps.collection.db, id, 'resume', now);
}

/** Accepts ids with or without dashes; anything else is a 404, as nothing can have it. */
export function requireId(text: string): string {
  const id = normalizeId(text);
  if (id !== undefined && isId(id)) return id;
  throw new HoldfastError('not_found', `There is nothing with the id ${JSON.stringify(text.slice(0, 80))}.`);
}
