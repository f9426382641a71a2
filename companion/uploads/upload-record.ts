import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { parseDigest, type Digest } from '../../shared/digest/digest.ts';
import { resultStatuses } from '../../shared/model/states.ts';
import { errnoOf, replaceFile } from '../collection/durable-files.ts';

const digestSchema = z.string().transform((text, context): Digest => {
  const digest = parseDigest(text);
  if (digest) return digest;
  context.addIssue('not a digest');
  return z.NEVER;
});

/** A file whose bytes are all there: what the rows will say of it. */
const completeFileSchema = z.object({
  /** Name inside the upload folder, until the gate has moved it into the blob store. */
  part: z.string(),
  path: z.string(),
  /** Bytes. */
  size: z.number().int().nonnegative(),
  digest: digestSchema,
  mimetype: z.string(),
  declared_type: z.string(),
  /** Facts about the chunks, shown in the API; null for files that came whole. */
  upload: z.record(z.string(), z.unknown()).nullable(),
});
export type CompleteFile = z.infer<typeof completeFileSchema>;

/** Once this stands in `upload.json`, the upload is finished from here, whatever happens. */
const completionSchema = z.object({
  /** Become visible together. */
  files: z.array(completeFileSchema).min(1),
  changes: z.object({
    status: z.enum(resultStatuses).optional(),
    outputStr: z.string().optional(),
    outputJson: z.record(z.string(), z.unknown()).optional(),
    error: z.string().nullable().optional(),
  }),
});
export type Completion = z.infer<typeof completionSchema>;
export type WireChanges = Completion['changes'];

const uploadRecordSchema = z.object({
  version: z.literal(1),
  result: z.string(),
  snapshot: z.string(),
  /** Absent for files that came whole in one request: nothing of them is resumed. */
  chunked: z
    .object({
      path: z.string(),
      total: z.number().int().nonnegative(),
      token: z.string(),
      client_digest: digestSchema.nullable(),
      /** Whether the client sent any digest; one that did not starts over after a restart. */
      with_digests: z.boolean(),
      declared_type: z.string(),
      /** Synced bytes. */
      received: z.number().int().nonnegative(),
      chunks: z.number().int().nonnegative(),
    })
    .nullable(),
  completion: completionSchema.nullable(),
  /** Milliseconds UTC of the last chunk. */
  updated_at: z.number().int(),
});
export type UploadRecord = z.infer<typeof uploadRecordSchema>;
export type ChunkedFacts = NonNullable<UploadRecord['chunked']>;

/** The one part of a chunked upload. */
export const partName = 'part';
const recordName = 'upload.json';

/** Replaces `upload.json`, synced: what it says survives a power cut. */
export async function saveRecord(folder: string, record: UploadRecord): Promise<void> {
  await replaceFile(path.join(folder, recordName), JSON.stringify(record));
}

/**
 * The same without syncs, for the length after each chunk. The part is synced before, so the record never says more
 * than there is; a power cut can only bring back an older length, and then the client sends those bytes again. Two
 * more syncs for every chunk would halve the speed.
 */
export async function noteProgress(folder: string, record: UploadRecord): Promise<void> {
  const temporary = path.join(folder, `${recordName}.next`);
  await fs.writeFile(temporary, JSON.stringify(record), { mode: 0o600 });
  await fs.rename(temporary, path.join(folder, recordName));
}

/** The record, or undefined when there is none or it cannot be read: nothing was promised about such a folder. */
export async function loadRecord(folder: string): Promise<UploadRecord | undefined> {
  try {
    const parsed = uploadRecordSchema.safeParse(JSON.parse(await fs.readFile(path.join(folder, recordName), 'utf8')));
    return parsed.data;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
