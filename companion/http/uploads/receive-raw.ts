import type { Readable } from 'node:stream';
import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import {
  rawChunkQuerySchema,
  resultChangesSchema,
  type ResultChangesRequest,
} from '../../../shared/protocol/result-fields.ts';
import { checkOutputPath } from '../../collection/layout.ts';
import type { ChunkOutcome } from '../../uploads/chunk-upload.ts';
import { checkBodySize } from '../../uploads/room.ts';
import type { UploadTarget } from '../../uploads/targets.ts';
import type { Uploads } from '../../uploads/uploads.ts';
import { parseFields } from './form-fields.ts';
import { toWireChanges } from './receive-form.ts';

export interface RawRequest {
  bytes: Readable;
  query: Record<string, string>;
  /** Announced length of the body in bytes; undefined when unknown. */
  length: number | undefined;
  token: string;
}

export interface RawOutcome extends ChunkOutcome {
  path: string;
  changes: ResultChangesRequest;
}

/** Takes one chunk as the bare body, its fields in the query. */
export async function receiveRaw(uploads: Uploads, target: UploadTarget, request: RawRequest): Promise<RawOutcome> {
  const query = parseFields(rawChunkQuerySchema, request.query);
  const changes = parseFields(resultChangesSchema, request.query);
  checkBodySize(request.length ?? 0, uploads.limits);
  const total = query.total ?? (query.offset === 0 ? request.length : undefined);
  if (total === undefined)
    throw new HoldfastError('bad_request', 'Say with total=… how many bytes the whole file has.');
  if (query.offset + (request.length ?? 0) > total) {
    throw new HoldfastError('bad_request', `The chunk goes beyond the announced ${total} bytes.`);
  }
  const path = checkOutputPath(query.path);
  const upload = await uploads.begin(target, { resultId: target.result.id, path, total, token: request.token });
  try {
    const digests = { chunkDigest: query.chunk_sha256, clientDigest: query.sha256 };
    await upload.receive(request.bytes, { offset: query.offset, ...digests, declaredType: query.mimetype });
    return { ...(await upload.finish({}, toWireChanges(changes))), path, changes };
  } finally {
    await upload.close();
  }
}
