import { z } from 'zod';
import {
  lifecycleStatuses,
  permissions,
  resultOrigins,
  resultStatuses,
  snapshotSources,
  titleOrigins,
} from './states.ts';

/**
 * Record shapes as the REST API shows them: the reference's keys (reference 1.3, 1.4) plus ours. Times are ISO 8601
 * in UTC, sizes bytes, digests `sha256:<hex>`.
 */
const time = z.iso.datetime();

const outputFileSchema = z.object({
  extension: z.string(),
  mimetype: z.string(),
  size: z.number().int().nonnegative(),
  digest: z.string().optional(),
  /** Address below the API that serves the bytes as a download. */
  url: z.string().optional(),
  upload: z
    .object({
      chunked: z.boolean(),
      chunk_index: z.number().int(),
      chunk_count: z.number().int(),
      chunks_received: z.number().int(),
      complete: z.boolean(),
      received: z.number().int().optional(),
    })
    .optional(),
});

export const archiveResultSchema = z.object({
  TYPE: z.literal('core.models.ArchiveResult'),
  id: z.string(),
  created_at: time,
  modified_at: time,
  revision: z.number().int(),
  status: z.enum(resultStatuses),
  retry_at: time.nullable(),
  plugin: z.string(),
  hook_name: z.string(),
  origin: z.enum(resultOrigins),
  process_id: z.string().nullable(),
  cmd_version: z.string(),
  cmd: z.array(z.string()),
  pwd: z.string(),
  output_str: z.string(),
  output_json: z.record(z.string(), z.unknown()).nullable(),
  output_files: z.record(z.string(), outputFileSchema),
  output_size: z.number().int(),
  output_mimetypes: z.string(),
  start_ts: time.nullable(),
  end_ts: time.nullable(),
  error: z.string().nullable(),
  notes: z.string(),
  snapshot_id: z.string(),
  snapshot_timestamp: z.string(),
  snapshot_url: z.string(),
  snapshot_tags: z.array(z.string()),
});
export type ArchiveResultRecord = z.infer<typeof archiveResultSchema>;

export const snapshotSchema = z.object({
  TYPE: z.literal('core.models.Snapshot'),
  id: z.string(),
  created_by_id: z.string(),
  created_by_username: z.string(),
  created_at: time,
  modified_at: time,
  revision: z.number().int(),
  status: z.enum(lifecycleStatuses),
  retry_at: time.nullable(),
  bookmarked_at: time,
  downloaded_at: time.nullable(),
  url: z.string(),
  crawl_id: z.string(),
  parent_snapshot_id: z.string().nullable(),
  depth: z.number().int(),
  tags: z.array(z.string()),
  title: z.string().nullable(),
  title_origin: z.enum(titleOrigins).nullable(),
  timestamp: z.string(),
  source: z.enum(snapshotSources),
  permissions: z.enum(permissions),
  expected_captures: z.array(z.string()),
  /** One sentence: what is happening to this page now. */
  state_sentence: z.string(),
  /** Why it ended without running everything; null when it did not. */
  stop_reason: z.string().nullable(),
  /** What went wrong inside the companion the last time; it is tried again at `retry_at`. */
  trouble: z.string().nullable(),
  /** Plugin that found the link to it. */
  found_by: z.string().nullable(),
  archive_path: z.string(),
  archive_size: z.number().int(),
  output_size: z.number().int(),
  num_archiveresults: z.number().int(),
  notes: z.string(),
  trashed_at: time.nullable(),
  archiveresults: z.array(archiveResultSchema),
});
export type SnapshotRecord = z.infer<typeof snapshotSchema>;

export const crawlSchema = z.object({
  TYPE: z.literal('crawls.models.Crawl'),
  id: z.string(),
  created_at: time,
  modified_at: time,
  created_by_id: z.string(),
  created_by_username: z.string(),
  status: z.enum(lifecycleStatuses),
  stop_reason: z.string().nullable(),
  trouble: z.string().nullable(),
  retry_at: time.nullable(),
  is_paused: z.boolean(),
  label: z.string(),
  urls: z.string(),
  max_depth: z.number().int(),
  tags_str: z.string(),
  config: z.record(z.string(), z.unknown()),
});
export type CrawlRecord = z.infer<typeof crawlSchema>;

/** The reference's page envelope plus `next`, our keyset cursor. */
export function pageSchema<Item extends z.ZodType>(item: Item) {
  return z.object({
    count: z.number().int(),
    total_items: z.number().int(),
    total_pages: z.number().int(),
    page: z.number().int(),
    limit: z.number().int(),
    offset: z.number().int(),
    num_items: z.number().int(),
    items: z.array(item),
    next: z.string().nullable(),
  });
}
