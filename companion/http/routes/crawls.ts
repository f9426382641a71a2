import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { Digest } from '../../../shared/digest/digest.ts';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { crawlSchema, type CrawlRecord } from '../../../shared/model/api-records.ts';
import { cliAddSchema, patchCrawlSchema, type CliAddRequest } from '../../../shared/protocol/requests.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { parseWebUrl } from '../../../shared/url/web-url.ts';
import { retentionConfig } from '../../../shared/words/retention.ts';
import { frozenCrawlConfig } from '../../config/crawl-config.ts';
import { findCrawl, listCrawls } from '../../collection/records/crawls.ts';
import { toCrawlRecord } from '../../collection/records/present.ts';
import { requestCrawl } from '../../collection/records/requests.ts';
import type { CrawlRow } from '../../collection/records/tables.ts';
import { submitCrawl } from '../../collection/submit-crawl.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { jsonBodyRoute, jsonRoute } from '../json-route.ts';
import { requireId } from './snapshots.ts';

const addedSchema = z.object({
  success: z.boolean(),
  errors: z.array(z.string()),
  result: z.object({
    crawl_id: z.string(),
    num_snapshots: z.number().int(),
    snapshot_ids: z.array(z.string()),
    queued_urls: z.array(z.string()),
  }),
  result_format: z.string(),
  stdout: z.string(),
  stderr: z.string(),
});

/** Crawls and the bridge other clients submit through (reference 1.6, 1.7). */
export function crawlRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  app.openapi(
    jsonBodyRoute('post', routes.cliAdd, 'Ask the companion to keep addresses', cliAddSchema, addedSchema, {}),
    async (c) => {
      const body = c.req.valid('json');
      const urls = acceptedUrls(deps, body.urls);
      const crawl = await submitCrawl(deps.collection, {
        text: `${urls.join('\n')}\n`,
        config: { ...retentionConfig(body.delete_after ?? deps.settings.DELETE_AFTER), ...addConfig(deps, body) },
        maxDepth: body.depth,
        tags: body.tag
          .split(',')
          .map((tag) => tag.trim())
          .filter((tag) => tag !== ''),
        label: '',
        permissions: deps.settings.PERMISSIONS,
      });
      const result = { crawl_id: crawl.id, num_snapshots: urls.length, snapshot_ids: [], queued_urls: urls };
      return c.json({ success: true, errors: [], result, result_format: 'json', stdout: '', stderr: '' }, 200);
    },
  );
  app.openapi(jsonRoute('get', routes.crawls, 'Crawls, newest first', z.array(crawlSchema), {}), async (c) => {
    const rows = listCrawls(deps.collection.db, limits.listPageDefault);
    return c.json(await Promise.all(rows.map((row) => present(deps, row))), 200);
  });
  const one = jsonRoute('get', `${routes.base}/crawls/crawl/{id}`, 'One crawl', crawlSchema, {
    params: z.object({ id: z.string() }),
  });
  app.openapi(one, async (c) => {
    const id = requireId(c.req.valid('param').id);
    const row = findCrawl(deps.collection.db, id);
    if (!row) throw new HoldfastError('not_found', `There is no crawl ${id}.`);
    return c.json(await present(deps, row), 200);
  });
  const patch = jsonBodyRoute(
    'patch',
    `${routes.base}/crawls/crawl/{id}`,
    'Pause, resume or cancel a crawl',
    patchCrawlSchema,
    crawlSchema,
    { params: z.object({ id: z.string() }) },
  );
  app.openapi(patch, async (c) => {
    const id = requireId(c.req.valid('param').id);
    const { action } = c.req.valid('json');
    const { db, bell } = deps.collection;
    const row = await db.write(() => requestCrawl(db, id, action === 'unpause' ? 'resume' : action, Date.now()));
    bell.ring();
    return c.json(await present(deps, row), 200);
  });
  return app;
}

/** All or nothing: one bad address refuses the request and is named. */
function acceptedUrls(deps: AppDeps, texts: readonly string[]): string[] {
  const bad: string[] = [];
  const urls: string[] = [];
  for (const line of texts) {
    const parsed = parseWebUrl(line);
    if (!parsed.ok) {
      bad.push(`${line.slice(0, 200)} ${parsed.reason}`);
      continue;
    }
    const verdict = deps.checkAddress(parsed.url);
    if (verdict.ok) urls.push(parsed.url);
    else bad.push(verdict.reason);
  }
  if (bad.length > 0)
    throw new HoldfastError('invalid_url', `Nothing was queued: ${bad.join('; ')}.`, { details: { refused: bad } });
  if (urls.length === 0) throw new HoldfastError('bad_request', 'There is no address to keep; give at least one.');
  return urls;
}

function addConfig(deps: AppDeps, body: CliAddRequest): Record<string, unknown> {
  const plugins = typeof body.plugins === 'string' ? body.plugins.split(',') : body.plugins;
  const chosen = plugins.map((name) => name.trim()).filter((name) => name !== '');
  return {
    PARSER: 'url_list',
    ...(chosen.length > 0 ? { PLUGINS: chosen.join(',') } : {}),
    ...(body.index_only === true ? { INDEX_ONLY: true } : {}),
    ...frozenCrawlConfig(deps.settings, {
      ONLY_NEW: body.only_new ?? (body.update === undefined ? undefined : !body.update),
      URL_ALLOWLIST: body.url_allowlist,
      URL_DENYLIST: body.url_denylist,
      CRAWL_MAX_URLS: body.max_urls,
      CRAWL_MAX_SIZE: body.max_size,
      CRAWL_TIMEOUT: body.crawl_timeout,
      SNAPSHOT_MAX_SIZE: body.snapshot_max_size,
    }),
  };
}

async function present(deps: AppDeps, row: CrawlRow): Promise<CrawlRecord> {
  const { collection } = deps;
  const size = await collection.blobs.size(row.input as Digest);
  // A list shows the beginning of what was submitted; the whole text is a file of the crawl.
  const end = Math.min(size ?? 0, CRAWL_TEXT_BYTES) - 1;
  const urls = end < 0 ? '' : await readText(collection.blobs.read(row.input as Digest, { start: 0, end }) as Readable);
  return toCrawlRecord(row, collection.owner.name, urls);
}

const CRAWL_TEXT_BYTES = 64 * 1024;
