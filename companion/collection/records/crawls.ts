import type { Permission } from '../../../shared/model/states.ts';
import { sqlBuilder, type Db } from '../database.ts';
import { parseRetention } from '../../../shared/words/retention.ts';
import { newRow } from './common.ts';
import type { CrawlRow } from './tables.ts';

export interface NewCrawl {
  ownerId: string;
  /** Digest of the submitted text in the blob store. */
  inputDigest: string;
  /** Frozen configuration. */
  config: Record<string, unknown>;
  maxDepth: number;
  tags: string;
  label: string;
  permissions: Permission;
  /** True for crawls that are born with their snapshots; false when a runner is to parse the text. */
  inputDone: boolean;
  dueAt: number;
}

/** Inserts a queued crawl. Call inside `write`. */
export function insertCrawl(db: Db, crawl: NewCrawl, now: number): CrawlRow {
  const row: CrawlRow = {
    ...newRow(now),
    due_at: crawl.dueAt,
    lease_owner: null,
    lease_generation: 0,
    lease_expires_at: null,
    num_uses_succeeded: 0,
    num_uses_failed: 0,
    label: crawl.label.slice(0, 64),
    input: crawl.inputDigest,
    input_records: 0,
    input_done: crawl.inputDone ? 1 : 0,
    config: JSON.stringify(crawl.config),
    max_depth: crawl.maxDepth,
    tags: crawl.tags,
    notes: '',
    persona_id: null,
    schedule_id: null,
    permissions: crawl.permissions,
    status: 'queued',
    stop_reason: null,
    delete_at: null,
    delete_after: parseRetention(crawl.config['DELETE_AFTER']),
    created_by: crawl.ownerId,
    first_run_at: null,
    fetched_bytes: 0,
    attempts: 0,
    trouble: null,
  };
  db.run(sqlBuilder.insertInto('crawl').values(row));
  return row;
}

export function findCrawl(db: Db, id: string): CrawlRow | undefined {
  return db.first(sqlBuilder.selectFrom('crawl').selectAll().where('id', '=', id));
}

/** Newest first, at most `limit`, those made before `before` (milliseconds) when given. */
export function listCrawls(db: Db, limit: number, before?: number): CrawlRow[] {
  let query = sqlBuilder
    .selectFrom('crawl')
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit);
  if (before !== undefined) query = query.where('created_at', '<', before);
  return db.all(query);
}
