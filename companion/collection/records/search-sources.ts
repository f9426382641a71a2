import { sqlBuilder, type Db } from '../database.ts';
import { tagsOfSnapshots } from './tags.ts';

/** What the search index holds of one snapshot, as the collection knows it. */
export interface SearchSource {
  id: string;
  revision: number;
  modifiedAt: number;
  bookmarkedAt: number;
  url: string;
  title: string;
  notes: string;
  tags: string[];
  isTrashed: boolean;
  /** The recorded text output, the best one there is. */
  text: { resultId: string; digest: string } | undefined;
}

/** Recorded texts, the best first: the one made for searching, then the whole page's, then the article's. */
const textOutputs = [
  { plugin: 'search_backend_sqlite', path: 'content.txt' },
  { plugin: 'htmltotext', path: 'htmltotext.txt' },
  { plugin: 'readability', path: 'content.txt' },
];

const columns = ['id', 'revision', 'modified_at', 'bookmarked_at', 'url', 'title', 'notes', 'trashed_at'] as const;

/** Snapshots changed at or after a time, in the order of their changes, behind the given position. */
export function sourcesChangedSince(db: Db, after: { modifiedAt: number; id: string }, limit: number): SearchSource[] {
  const query = sqlBuilder
    .selectFrom('snapshot')
    .select(columns)
    .where((where) => where(where.refTuple('modified_at', 'id'), '>', where.tuple(after.modifiedAt, after.id)))
    .orderBy('modified_at')
    .orderBy('id')
    .limit(limit);
  return toSources(db, db.all(query));
}

/** All snapshots in the order of their ids, behind the given one. */
export function sourcesAfter(db: Db, id: string, limit: number): SearchSource[] {
  const query = sqlBuilder.selectFrom('snapshot').select(columns).where('id', '>', id).orderBy('id').limit(limit);
  return toSources(db, db.all(query));
}

/** Ids of snapshots that were deleted at or after a time. */
export function deletedSnapshotsSince(db: Db, deletedAt: number): string[] {
  const query = sqlBuilder.selectFrom('tombstone').select('id').where('deleted_at', '>=', deletedAt);
  return db.all(query).map((row) => row.id);
}

/** Those of the given snapshots that are still in the collection. */
export function presentSnapshotIds(db: Db, ids: readonly string[]): Set<string> {
  if (ids.length === 0) return new Set();
  return new Set(
    db
      .all(
        sqlBuilder
          .selectFrom('snapshot')
          .select('id')
          .where('id', 'in', [...ids]),
      )
      .map((row) => row.id),
  );
}

interface SourceRow {
  id: string;
  revision: number;
  modified_at: number;
  bookmarked_at: number;
  url: string;
  title: string | null;
  notes: string;
  trashed_at: number | null;
}

function toSources(db: Db, rows: readonly SourceRow[]): SearchSource[] {
  const ids = rows.map((row) => row.id);
  const tags = tagsOfSnapshots(db, ids);
  const texts = textsOfSnapshots(db, ids);
  return rows.map((row) => ({
    id: row.id,
    revision: row.revision,
    modifiedAt: row.modified_at,
    bookmarkedAt: row.bookmarked_at,
    url: row.url,
    title: row.title ?? '',
    notes: row.notes,
    tags: tags.get(row.id) ?? [],
    isTrashed: row.trashed_at !== null,
    text: texts.get(row.id),
  }));
}

function textsOfSnapshots(db: Db, ids: readonly string[]): Map<string, { resultId: string; digest: string }> {
  const best = new Map<string, { rank: number; resultId: string; digest: string }>();
  if (ids.length === 0) return best;
  const query = sqlBuilder
    .selectFrom('archive_result')
    .innerJoin('output', 'output.result_id', 'archive_result.id')
    .select(['archive_result.snapshot_id', 'archive_result.plugin', 'output.result_id', 'output.path', 'output.digest'])
    .where('archive_result.snapshot_id', 'in', [...ids])
    .where(
      'archive_result.plugin',
      'in',
      textOutputs.map((output) => output.plugin),
    )
    .where('output.path', 'in', [...new Set(textOutputs.map((output) => output.path))]);
  for (const row of db.all(query)) {
    const rank = textOutputs.findIndex((output) => output.plugin === row.plugin && output.path === row.path);
    const known = best.get(row.snapshot_id);
    if (rank >= 0 && (known === undefined || rank < known.rank)) {
      best.set(row.snapshot_id, { rank, resultId: row.result_id, digest: row.digest });
    }
  }
  return best;
}
