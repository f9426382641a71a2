import { OpenAPIHono, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import { archiveResultSchema, pageSchema, type ArchiveResultRecord } from '../../../shared/model/api-records.ts';
import { errorBodySchema, uploadStatesSchema } from '../../../shared/protocol/requests.ts';
import {
  resultChangesSchema,
  resultKeySchema,
  type ResultChangesRequest,
} from '../../../shared/protocol/result-fields.ts';
import { routes } from '../../../shared/protocol/routes.ts';
import { checkPluginName } from '../../collection/layout.ts';
import { presentResult } from '../../collection/records/present.ts';
import type { ResultKey } from '../../collection/records/results.ts';
import { ensureTarget, mergeTarget, type UploadTarget } from '../../uploads/targets.ts';
import type { AppDeps, AppEnv } from '../dependencies.ts';
import { describeBytes, jsonRoute } from '../json-route.ts';
import { listResultPage, resultQuerySchema } from '../result-page.ts';
import { parseFields } from '../uploads/form-fields.ts';
import { receiveForm, toWireChanges, type FormOutcome } from '../uploads/receive-form.ts';
import { receiveRaw } from '../uploads/receive-raw.ts';
import { announcedBytes, requestBytes } from '../uploads/request-bytes.ts';
import { withChunk, withPendingFiles } from '../uploads/result-answer.ts';
import { outputDownload } from './output-download.ts';
import { requireId } from './snapshots.ts';

const idParam = z.object({ id: z.string() });
/** Results and their uploads (reference 1.4 and DESIGN section 5). */
export function archiveResultRoutes(deps: AppDeps): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  const { uploads } = deps;
  const one = `${routes.base}/core/archiveresult/:id`;

  describeUploads(app);
  app.post(routes.results, async (c) => postResult(deps, c));
  app.patch(one, async (c) => patchResult(deps, c));
  app.openapi(
    jsonRoute('get', routes.results, 'List results, newest first', pageSchema(archiveResultSchema), {
      query: resultQuerySchema,
    }),
    async (c) => c.json(await listResultPage(deps, c.req.valid('query'), c.req.raw.signal), 200),
  );
  app.openapi(
    jsonRoute('get', `${routes.base}/core/archiveresult/{id}`, 'One result', archiveResultSchema, { params: idParam }),
    async (c) => {
      const target = await uploads.requireTarget(requireId(c.req.valid('param').id));
      return c.json(
        withPendingFiles(present(deps, target), uploads.pending(target.result.id, c.get('caller').key)),
        200,
      );
    },
  );
  app.openapi(
    jsonRoute(
      'get',
      `${routes.base}/core/archiveresult/{id}/uploads`,
      'What has arrived of each file',
      uploadStatesSchema,
      { params: idParam },
    ),
    async (c) => {
      const { result } = await uploads.requireTarget(requireId(c.req.valid('param').id));
      return c.json({ uploads: uploads.states(result.id, c.get('caller').key) }, 200);
    },
  );
  describeBytes(app, {
    path: `${routes.base}/core/archiveresult/{id}/file/{path}`,
    summary: 'One file as a download',
    params: idParam.extend({ path: z.string() }),
    type: 'application/octet-stream',
  });
  app.get(`${one}/file/*`, (c) => outputDownload(deps, c));
  return app;
}

function present(deps: AppDeps, target: UploadTarget): ArchiveResultRecord {
  return presentResult(deps.collection, target.result, target.snapshot);
}

/** Makes or merges a result, with files or without. */
async function postResult(deps: AppDeps, c: Context<AppEnv>): Promise<Response> {
  if (!isMultipart(c)) {
    const body = await jsonBody(c);
    const changes = parseFields(resultChangesSchema, body);
    return merge(deps, c, toKey(body), { ...changes, status: changes.status ?? 'succeeded' });
  }
  const outcome = await receiveForm(deps.uploads, {
    ...formOf(c),
    defaultStatus: 'succeeded',
    target: async (fields, complete) => {
      if (!complete && (!fields.has('snapshot_id') || !fields.has('plugin'))) return undefined;
      return ensureTarget(deps.collection.db, toKey(fields.toObject()));
    },
  });
  return answerForm(deps, c, outcome);
}

/** Adds files or a chunk to a result, or changes what it says. */
async function patchResult(deps: AppDeps, c: Context<AppEnv>): Promise<Response> {
  const target = await deps.uploads.requireTarget(requireId(c.req.param('id') ?? ''));
  if (isMultipart(c)) {
    const outcome = await receiveForm(deps.uploads, {
      ...formOf(c),
      defaultStatus: undefined,
      target: async () => target,
    });
    return answerForm(deps, c, outcome);
  }
  const query = c.req.query();
  if (query['path'] === undefined)
    return merge(deps, c, keyOf(target), parseFields(resultChangesSchema, await jsonBody(c)));
  const request = { bytes: requestBytes(c), query, length: announcedBytes(c), token: c.get('caller').key };
  const outcome = await receiveRaw(deps.uploads, target, request);
  const record = present(deps, { ...target, result: outcome.result });
  c.header('X-Upload-Received', String(outcome.received));
  if (outcome.complete) return c.json(record);
  const pending = deps.uploads.pending(target.result.id, request.token).find((file) => file.path === outcome.path);
  return c.json(withChunk(record, outcome.changes, pending, undefined));
}

async function answerForm(deps: AppDeps, c: Context<AppEnv>, outcome: FormOutcome): Promise<Response> {
  if (outcome.withoutFiles) return merge(deps, c, keyOf(outcome.target), outcome.changes);
  const record = present(deps, { ...outcome.target, result: outcome.result });
  const { chunk } = outcome;
  if (chunk) c.header('X-Upload-Received', String(chunk.received));
  if (!chunk || chunk.complete) return c.json(record);
  const pending = deps.uploads.pending(record.id, c.get('caller').key).find((file) => file.path === chunk.path);
  return c.json(withChunk(record, outcome.changes, pending, chunk.count));
}

/** A request without files: only what it says of the result. */
async function merge(
  deps: AppDeps,
  c: Context<AppEnv>,
  key: ResultKey,
  changes: ResultChangesRequest,
): Promise<Response> {
  if (Object.values(changes).every((value) => value === undefined)) {
    throw new HoldfastError(
      'bad_request',
      'The request has no file and says nothing about the result; send at least one.',
    );
  }
  const target = await mergeTarget(deps.collection.db, key, toWireChanges(changes));
  deps.collection.bell.ring();
  return c.json(present(deps, target));
}

function formOf(c: Context<AppEnv>) {
  return {
    bytes: requestBytes(c),
    contentType: c.req.header('content-type') ?? '',
    length: announcedBytes(c) ?? 0,
    token: c.get('caller').key,
    signal: c.req.raw.signal,
  };
}

function isMultipart(c: Context<AppEnv>): boolean {
  return /^multipart\/form-data\b/i.test(c.req.header('content-type') ?? '');
}

async function jsonBody(c: Context<AppEnv>): Promise<unknown> {
  if ((announcedBytes(c) ?? 0) > limits.jsonBodyBytesMax) {
    throw new HoldfastError('too_large', `The request is larger than ${limits.jsonBodyBytesMax} bytes.`);
  }
  const text = await c.req.text();
  try {
    return text === '' ? {} : (JSON.parse(text) as unknown);
  } catch (error) {
    throw new HoldfastError(
      'bad_request',
      'The body is no JSON; send JSON, multipart, or bytes with path=… in the address.',
      { cause: error },
    );
  }
}

function toKey(fields: unknown): ResultKey {
  const key = parseFields(resultKeySchema, fields);
  return { snapshotId: requireId(key.snapshot_id), plugin: checkPluginName(key.plugin), hookName: key.hook_name };
}

function keyOf(target: UploadTarget): ResultKey {
  return { snapshotId: target.snapshot.id, plugin: target.result.plugin, hookName: target.result.hook_name };
}

/** The two routes that stream their bodies: described here, read by hand. */
function describeUploads(app: OpenAPIHono<AppEnv>): void {
  const fields = z.object({ ...resultKeySchema.shape, files: z.array(z.any()).optional() });
  const bytes = { schema: z.any() };
  const responses = {
    200: { description: 'The merged result', content: { 'application/json': { schema: archiveResultSchema } } },
    default: { description: 'Refused or failed', content: { 'application/json': { schema: errorBodySchema } } },
  };
  const content = { 'multipart/form-data': { schema: fields }, 'application/octet-stream': bytes };
  const post = { method: 'post' as const, path: routes.results, summary: 'Make or merge a result, with files' };
  app.openAPIRegistry.registerPath({ ...post, request: { body: { content } }, responses });
  const patch = {
    method: 'patch' as const,
    path: `${routes.base}/core/archiveresult/{id}`,
    summary: 'Send files or a chunk',
  };
  app.openAPIRegistry.registerPath({ ...patch, request: { params: idParam, body: { content } }, responses });
}
