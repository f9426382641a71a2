import { sql, type SelectQueryBuilder } from 'kysely';
import { sqlBuilder, type Db } from '../database.ts';
import { foldTagName } from './tags.ts';
import type { ArchiveResultRow, Tables } from './tables.ts';

/** Conditions that all must hold; texts are compared as a whole, tags without regard to case. */
export interface ResultFilter {
  id?: string | undefined;
  snapshotId?: string | undefined;
  snapshotUrl?: string | undefined;
  snapshotTag?: string | undefined;
  /** Results of any of these snapshots. */
  snapshotIds?: readonly string[] | undefined;
  status?: string | undefined;
  plugin?: string | undefined;
  hookName?: string | undefined;
  processId?: string | undefined;
}

export interface ResultPage {
  limit: number;
  skip: number;
  /** The last id of the page before. */
  afterId?: string | undefined;
}

/** A tag of more pages than this is looked up for each result in turn, one of fewer by its pages. */
const rareTagPages = 2_000;

/** Results in the order of their ids (their age, newest first), without those of pages in the trash. */
export function listResults(db: Db, filter: ResultFilter, page: ResultPage): ArchiveResultRow[] {
  let query = sqlBuilder
    .selectFrom('archive_result')
    .innerJoin('snapshot', 'snapshot.id', 'archive_result.snapshot_id')
    .selectAll('archive_result')
    .where('snapshot.trashed_at', 'is', null);
  const { id, snapshotId, snapshotIds, snapshotUrl, status, plugin, hookName, processId } = filter;
  if (id !== undefined) query = query.where('archive_result.id', '=', id);
  if (snapshotId !== undefined) query = query.where('archive_result.snapshot_id', '=', snapshotId);
  if (snapshotUrl !== undefined) query = query.where('snapshot.url', '=', snapshotUrl);
  if (status !== undefined) query = query.where('archive_result.status', '=', status as ArchiveResultRow['status']);
  if (plugin !== undefined) query = query.where('archive_result.plugin', '=', plugin);
  if (hookName !== undefined) query = query.where('archive_result.hook_name', '=', hookName);
  if (processId !== undefined) query = query.where('archive_result.process_id', '=', processId);
  if (snapshotIds !== undefined) {
    const ids = sql<string>`(SELECT value FROM json_each(${JSON.stringify(snapshotIds)}))`;
    query = query.where('archive_result.snapshot_id', 'in', ids);
  }
  if (filter.snapshotTag !== undefined) query = withTag(db, query, filter.snapshotTag);
  if (page.afterId !== undefined) query = query.where('archive_result.id', '<', page.afterId);
  return db.all(query.orderBy('archive_result.id', 'desc').limit(page.limit).offset(page.skip));
}

type ResultQuery = SelectQueryBuilder<Tables, 'archive_result' | 'snapshot', ArchiveResultRow>;

function withTag(db: Db, query: ResultQuery, name: string): ResultQuery {
  const folded = foldTagName(name);
  const pages = sqlBuilder
    .selectFrom('snapshot_tag')
    .innerJoin('tag', 'tag.id', 'snapshot_tag.tag_id')
    .select('snapshot_tag.snapshot_id')
    .where('tag.name_folded', '=', folded);
  if (db.all(pages.limit(rareTagPages + 1)).length <= rareTagPages)
    return query.where('archive_result.snapshot_id', 'in', pages);
  return query.where(
    sql<boolean>`EXISTS (SELECT 1 FROM snapshot_tag JOIN tag ON tag.id = snapshot_tag.tag_id
      WHERE tag.name_folded = ${folded} AND snapshot_tag.snapshot_id = archive_result.snapshot_id)`,
  );
}
