import { z } from 'zod';
import { cliAddSchema, uploadStatesSchema } from '../../shared/protocol/requests.ts';
import type { CreateSnapshotRequest, PatchSnapshotRequest, UploadState } from '../../shared/protocol/requests.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { uploadHookName } from '../../shared/model/states.ts';
import type { Digest } from '../../shared/digest/digest.ts';
import type { CompanionClient } from './companion-client.ts';

/** Only what we use of the companion's records. */
const idSchema = z.looseObject({ id: z.string() });
const resultSchema = z.looseObject({
  id: z.string(),
  output_files: z.record(z.string(), z.looseObject({ digest: z.string().optional(), size: z.number() })).default({}),
});
export type ResultSeen = z.infer<typeof resultSchema>;

/** Makes the snapshot, or finds the one with this id. @throws CompanionFailure `deleted` when it was deleted */
export async function createSnapshot(client: CompanionClient, snapshot: CreateSnapshotRequest): Promise<string> {
  return idSchema.parse(await client.request({ method: 'POST', path: routes.snapshots, json: snapshot })).id;
}

export async function editSnapshot(client: CompanionClient, id: string, edit: PatchSnapshotRequest): Promise<void> {
  await client.request({ method: 'PATCH', path: routes.snapshot(id), json: edit });
}

/** Makes or finds the result of one plugin of a snapshot. */
export async function startResult(client: CompanionClient, snapshotId: string, plugin: string): Promise<ResultSeen> {
  const json = { snapshot_id: snapshotId, plugin, hook_name: uploadHookName, status: 'started' };
  return resultSchema.parse(await client.request({ method: 'POST', path: routes.results, json }));
}

/** Tells that a witness will not come, and why. */
export async function reportMissing(
  client: CompanionClient,
  snapshotId: string,
  plugin: string,
  status: 'failed' | 'skipped',
  reason: string,
): Promise<void> {
  const json = {
    snapshot_id: snapshotId,
    plugin,
    hook_name: uploadHookName,
    status,
    output_str: reason,
    error: reason,
  };
  await client.request({ method: 'POST', path: routes.results, json });
}

/** What has arrived of each file of a result. */
export async function listUploads(client: CompanionClient, resultId: string): Promise<UploadState[]> {
  const answer = await client.request({ method: 'GET', path: routes.resultUploads(resultId) });
  return uploadStatesSchema.parse(answer).uploads;
}

export interface ChunkRequest {
  resultId: string;
  path: string;
  offset: number;
  total: number;
  bytes: Uint8Array<ArrayBuffer>;
  sha256: Digest;
  chunkSha256: Digest;
  mimetype: string;
  /** The result's status once this file is complete. */
  status: 'started' | 'succeeded';
}

export async function sendChunk(client: CompanionClient, chunk: ChunkRequest): Promise<ResultSeen> {
  const query = {
    path: chunk.path,
    offset: String(chunk.offset),
    total: String(chunk.total),
    sha256: chunk.sha256,
    chunk_sha256: chunk.chunkSha256,
    mimetype: chunk.mimetype,
    status: chunk.status,
  };
  const answer = await client.request({
    method: 'PATCH',
    path: routes.result(chunk.resultId),
    query,
    bytes: chunk.bytes,
  });
  return resultSchema.parse(answer);
}

/** Asks the companion to fetch an address itself. @returns ids of the snapshots it made */
export async function addOnCompanion(client: CompanionClient, url: string): Promise<string[]> {
  const json = cliAddSchema.parse({ urls: [url] });
  const answer = await client.request({ method: 'POST', path: routes.cliAdd, json });
  const parsed = z
    .looseObject({ snapshot_ids: z.array(z.string()).default([]) })
    .safeParse((answer as { result?: unknown }).result ?? answer);
  return parsed.success ? parsed.data.snapshot_ids : [];
}
