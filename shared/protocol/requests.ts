import { z } from 'zod';
import { sizeSchema } from '../words/sizes.ts';
import { permissions, snapshotSources } from '../model/states.ts';

/** Bodies of the JSON routes. Unknown keys are ignored, as the reference does. */

export const createSnapshotSchema = z.object({
  /** Chosen by our extension; the same id again answers the same row (410 when it was deleted meanwhile). */
  id: z.string().optional(),
  url: z.string(),
  crawl_id: z.string().nullish(),
  depth: z.number().int().min(0).max(4).default(0),
  title: z.string().nullish(),
  /** Who says the title: our extension sends `browser`, or `user` after an edit. */
  title_origin: z.enum(['browser', 'user']).optional(),
  tags: z.array(z.string()).nullish(),
  notes: z.string().optional(),
  status: z.string().nullish(),
  source: z.enum(snapshotSources).optional(),
  /** Plugins whose captures are to come; only with `source: browser`. */
  expected_captures: z.array(z.string()).optional(),
  /** When the person asked for it, ISO 8601. */
  bookmarked_at: z.iso.datetime({ offset: true }).optional(),
  permissions: z.enum(permissions).optional(),
});
export type CreateSnapshotRequest = z.infer<typeof createSnapshotSchema>;

export const patchSnapshotSchema = z.object({
  /** `retry` runs the plugins once more whose results are failed. */
  action: z.enum(['pause', 'resume', 'unpause', 'cancel', 'fetch', 'retry']).nullish(),
  status: z.string().nullish(),
  retry_at: z.string().nullish(),
  title: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
  notes: z.string().nullish(),
  permissions: z.enum(permissions).nullish(),
  /** Plugins to run once more; asked for by name, they may also fetch. */
  retry_plugins: z.array(z.string()).max(64).nullish(),
});
export type PatchSnapshotRequest = z.infer<typeof patchSnapshotSchema>;

export const patchCrawlSchema = z.object({ action: z.enum(['pause', 'resume', 'unpause', 'cancel']) });
export type PatchCrawlRequest = z.infer<typeof patchCrawlSchema>;

/** What the process of a result wrote, the last 32 KiB of each stream; null when no process of ours made it. */
export const resultLogSchema = z.object({
  log: z
    .object({ stdout: z.string(), stderr: z.string(), exit_code: z.number().int().nullable(), running: z.boolean() })
    .nullable(),
});
export type ResultLog = z.infer<typeof resultLogSchema>;

export const cliAddSchema = z.object({
  urls: z.array(z.string()),
  tag: z.string().default(''),
  depth: z.coerce.number().int().min(0).max(4).default(0),
  parser: z.string().default('auto'),
  plugins: z.union([z.string(), z.array(z.string())]).default(''),
  update: z.boolean().optional(),
  overwrite: z.boolean().optional(),
  index_only: z.boolean().optional(),
  /** `30d`, `8w`, `1y`; 0 keeps for ever. */
  delete_after: z.string().optional(),
  only_new: z.boolean().optional(),
  url_allowlist: z.string().optional(),
  url_denylist: z.string().optional(),
  /** Limits of the crawl; 0 is none. Sizes are bytes or words such as `500mb`, the time is seconds. */
  max_urls: z.coerce.number().int().min(0).optional(),
  max_size: sizeSchema.optional(),
  crawl_timeout: z.coerce.number().min(0).optional(),
  snapshot_max_size: sizeSchema.optional(),
  persona: z.string().optional(),
});
export type CliAddRequest = z.infer<typeof cliAddSchema>;

/** What was found in a text that may hold addresses: those that can be kept, and a sentence for each other. */
export const foundAddressesSchema = z.object({ urls: z.array(z.string()), refused: z.array(z.string()) });
export type FoundAddresses = z.infer<typeof foundAddressesSchema>;

export const digestsRequestSchema = z.object({ digests: z.array(z.string()).max(10_000) });
export const digestsResponseSchema = z.object({ known: z.array(z.string()) });

export const attachFileSchema = z.object({
  path: z.string(),
  digest: z.string(),
  mimetype: z.string().optional(),
  /** Of the result afterwards; `succeeded` when absent, `started` when more files follow. */
  status: z.string().optional(),
});

export const uploadStateSchema = z.object({
  path: z.string(),
  received: z.number().int(),
  total: z.number().int(),
  complete: z.boolean(),
  digest: z.string().nullable(),
});
export const uploadStatesSchema = z.object({ uploads: z.array(uploadStateSchema) });
export type UploadState = z.infer<typeof uploadStateSchema>;

/** Every error answer: the reference's envelope (`detail`) plus a code, facts and the request's id for the log. */
export const errorBodySchema = z.object({
  detail: z.string(),
  code: z.string(),
  request_id: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
});
export type ErrorBody = z.infer<typeof errorBodySchema>;
