import { z } from 'zod';
import { parseDigest, type Digest } from '../digest/digest.ts';
import { resultStatuses, uploadHookName, type ResultStatus } from '../model/states.ts';

/**
 * The words of the reference's clients as ours: its misspellings count, what is queued, paused or waiting counts as
 * announced, and what nobody knows counts as failed (reference 1.4).
 */
export function toResultStatus(text: string): ResultStatus {
  const word = text.trim().toLowerCase();
  if (word === 'success' || word === 'succeded') return 'succeeded';
  if (word === 'queued' || word === 'paused' || word === 'backoff') return 'started';
  return resultStatuses.find((status) => status === word) ?? 'failed';
}

const digestText = z.string().transform((text, context): Digest => {
  const digest = parseDigest(text.includes(':') ? text : `sha256:${text}`);
  if (digest) return digest;
  context.addIssue({ code: 'custom', message: 'is no digest; write sha256:<64 hex digits>' });
  return z.NEVER;
});

/** Deeper ones could be read but never written again. */
const nestingMax = 100;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

const jsonObject = z.preprocess(
  (value, context) => {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value) as unknown;
    } catch {
      context.addIssue({ code: 'custom', message: 'is no JSON' });
      return z.NEVER;
    }
  },
  z
    .record(z.string(), z.unknown(), 'must be a JSON object')
    .refine((value) => !isDeeperThan(value, nestingMax), `must not be nested deeper than ${nestingMax} levels`),
);

const wholeNumber = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,16}$/, 'must be a whole number from 0 on')
      .transform(Number),
  ])
  .pipe(z.number().int().nonnegative());

/** What a request may say of a result besides its files; the same words in JSON, multipart and the query. */
export const resultChangesSchema = z.object({
  status: z.string().transform(toResultStatus).optional(),
  output_str: z.string().optional(),
  output_json: jsonObject.optional(),
  /** Why a capture failed, one sentence. */
  error: z.string().max(4_000).optional(),
});
export type ResultChangesRequest = z.infer<typeof resultChangesSchema>;

/** Which result is meant; it is made when it is new. */
export const resultKeySchema = z.object({
  snapshot_id: z.string('is missing'),
  plugin: z.string('is missing'),
  hook_name: z.string().min(1).max(255).default(uploadHookName),
});

/** Chunk fields of the reference, sent with one file. */
export const chunkFieldsSchema = z
  .object({
    chunk_output_path: z.string(),
    chunk_index: wholeNumber.default(0),
    chunk_count: wholeNumber.default(1),
    chunk_offset: wholeNumber.default(0),
    chunk_total_size: wholeNumber,
    sha256: digestText.optional(),
    chunk_sha256: digestText.optional(),
  })
  .refine((fields) => fields.chunk_count >= 1, { message: 'must be at least 1', path: ['chunk_count'] })
  .refine((fields) => fields.chunk_index < fields.chunk_count, {
    message: 'must be below chunk_count',
    path: ['chunk_index'],
  })
  .refine((fields) => fields.chunk_offset <= fields.chunk_total_size, {
    message: 'lies behind the end',
    path: ['chunk_offset'],
  });
export type ChunkFields = z.infer<typeof chunkFieldsSchema>;

/** Query of a raw chunk. Without `offset` and `total` the body is the whole file. */
export const rawChunkQuerySchema = z.object({
  path: z.string(),
  offset: wholeNumber.default(0),
  total: wholeNumber.optional(),
  sha256: digestText.optional(),
  chunk_sha256: digestText.optional(),
  mimetype: z.string().max(255).default(''),
});
