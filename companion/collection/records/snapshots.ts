import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import { limits } from '../../../shared/limits.ts';
import type { Permission, SnapshotSource, TitleOrigin } from '../../../shared/model/states.ts';
import { retentionConfig } from '../../../shared/words/retention.ts';
import { sqlBuilder, type Db } from '../database.ts';
import { newRow } from './common.ts';
import { findCrawl, insertCrawl } from './crawls.ts';
import type { SnapshotRow } from './tables.ts';
import { addTags } from './tags.ts';

export interface NewSnapshot {
  id?: string | undefined;
  url: string;
  ownerId: string;
  crawlId?: string | undefined;
  parentSnapshotId?: string | undefined;
  /** Plugin that found the link. */
  foundBy?: string | undefined;
  depth: number;
  title?: string | undefined;
  titleOrigin: TitleOrigin;
  tags: readonly string[];
  notes: string;
  source: SnapshotSource;
  expectedCaptures: readonly string[];
  bookmarkedAt: number;
  permissions: Permission;
  /** `DELETE_AFTER` of the crawl that is made when `crawlId` is absent. */
  deleteAfter?: string | undefined;
  /** Digest of the text of the crawl that is made when `crawlId` is absent. */
  inputDigest: string;
}

const titleRank: Record<TitleOrigin, number> = { hook: 1, browser: 2, user: 3 };

/**
 * Makes a snapshot, or finds the one that was made before: by its id, else by (crawl, address). What is found takes
 * over a better title and further tags. Call inside `write`. Throws `deleted` when the id was deleted meanwhile.
 */
export function ensureSnapshot(db: Db, input: NewSnapshot, now: number): { row: SnapshotRow; created: boolean } {
  const known = findExisting(db, input);
  if (known) {
    if (input.title !== undefined) setTitle(db, known.id, input.title, input.titleOrigin, now);
    addTags(db, known.id, input.tags, now);
    return { row: requireSnapshot(db, known.id), created: false };
  }
  const waiting = input.source === 'browser' && input.expectedCaptures.length > 0;
  const dueAt = waiting ? now + limits.browserWaitMs : now;
  const crawlId = input.crawlId ?? makeCrawl(db, input, dueAt, now);
  if (input.crawlId !== undefined && !findCrawl(db, input.crawlId)) {
    throw new HoldfastError('not_found', `There is no crawl ${input.crawlId}; leave crawl_id out to make one.`);
  }
  const row: SnapshotRow = {
    ...newRow(now, input.id),
    due_at: dueAt,
    lease_owner: null,
    lease_generation: 0,
    lease_expires_at: null,
    num_uses_succeeded: 0,
    num_uses_failed: 0,
    url: input.url,
    crawl_id: crawlId,
    parent_snapshot_id: input.parentSnapshotId ?? null,
    depth: input.depth,
    timestamp: freeTimestamp(db, input.bookmarkedAt),
    title: input.title === undefined ? null : cleanTitle(input.title),
    title_origin: input.title === undefined || cleanTitle(input.title) === null ? null : input.titleOrigin,
    bookmarked_at: input.bookmarkedAt,
    downloaded_at: null,
    source: input.source,
    expected_captures: JSON.stringify(input.expectedCaptures),
    inputs_revision: 0,
    config: '{}',
    permissions: input.permissions,
    status: 'queued',
    output_size: 0,
    fs_version: '1',
    stop_reason: null,
    attempts: 0,
    trouble: null,
    found_by: input.foundBy ?? null,
    index_stale: 1,
    trashed_at: null,
    delete_at: null,
    notes: input.notes.slice(0, limits.noteLengthMax),
    created_by: input.ownerId,
  };
  db.run(sqlBuilder.insertInto('snapshot').values(row));
  addTags(db, row.id, input.tags, now);
  return { row, created: true };
}

function findExisting(db: Db, input: NewSnapshot): SnapshotRow | undefined {
  if (input.id !== undefined) {
    const byId = findSnapshot(db, input.id);
    if (byId?.trashed_at != null || (!byId && isDeleted(db, input.id))) {
      throw new HoldfastError(
        'deleted',
        'This page was deleted from your collection; keep it again to make a new copy.',
      );
    }
    if (byId) return byId;
  }
  return input.crawlId === undefined ? undefined : findSnapshotOfCrawl(db, input.crawlId, input.url);
}

/** An address exists once in a crawl. */
export function findSnapshotOfCrawl(db: Db, crawlId: string, url: string): SnapshotRow | undefined {
  return db.first(
    sqlBuilder
      .selectFrom('snapshot')
      .selectAll()
      .where('crawl_id', '=', crawlId)
      .where('url', '=', url)
      .where('trashed_at', 'is', null),
  );
}

function makeCrawl(db: Db, input: NewSnapshot, dueAt: number, now: number): string {
  const config = { PERMISSIONS: input.permissions, PARSER: 'url_list', ...retentionConfig(input.deleteAfter) };
  const crawl = insertCrawl(
    db,
    {
      ownerId: input.ownerId,
      inputDigest: input.inputDigest,
      config,
      maxDepth: 0,
      tags: input.tags.join(','),
      label: '',
      permissions: input.permissions,
      inputDone: true,
      dueAt,
    },
    now,
  );
  return crawl.id;
}

/**
 * `seconds.millis` as the reference writes it, moved on by milliseconds until nobody has it. Thousands of pages of an
 * import may have the same time, so the end of a taken stretch is searched by doubling and halving.
 */
function freeTimestamp(db: Db, ms: number): string {
  const text = (offset: number): string => ((ms + offset) / 1000).toFixed(3);
  const isFree = (offset: number): boolean =>
    !db.first(sqlBuilder.selectFrom('snapshot').select('id').where('timestamp', '=', text(offset)));
  if (isFree(0)) return text(0);
  let taken = 0;
  let free = 1;
  while (!isFree(free)) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (isFree(middle)) free = middle;
    else taken = middle;
  }
  return text(free);
}

export function findSnapshot(db: Db, id: string): SnapshotRow | undefined {
  return db.first(sqlBuilder.selectFrom('snapshot').selectAll().where('id', '=', id));
}

/** Throws `not_found`, or `deleted` for one that is in the trash or has a tombstone. */
export function requireSnapshot(db: Db, id: string): SnapshotRow {
  const row = findSnapshot(db, id);
  if (row && row.trashed_at === null) return row;
  if (row || isDeleted(db, id)) {
    throw new HoldfastError('deleted', 'This page was deleted from your collection.', { details: { snapshot_id: id } });
  }
  throw new HoldfastError('not_found', `There is no snapshot ${id}.`);
}

export function isDeleted(db: Db, id: string): boolean {
  return db.first(sqlBuilder.selectFrom('tombstone').select('id').where('id', '=', id)) !== undefined;
}

function cleanTitle(text: string): string | null {
  const title = text.replace(/\s+/g, ' ').trim();
  if (title === '') return null;
  const letters = [...title];
  return letters.length > limits.titleLengthMax ? `${letters.slice(0, limits.titleLengthMax - 1).join('')}…` : title;
}

/**
 * Sets the title when its origin is at least as good as the present one's: the user's beats the browser's, which
 * beats a hook's. Call inside `write`. Returns whether it was set.
 */
export function setTitle(db: Db, id: string, text: string, origin: TitleOrigin, now: number): boolean {
  const title = cleanTitle(text);
  const row = findSnapshot(db, id);
  if (!row || title === null) return false;
  if (row.title_origin !== null && titleRank[row.title_origin] > titleRank[origin]) return false;
  if (row.title === title && row.title_origin === origin) return false;
  return updateSnapshot(db, id, { title, title_origin: origin, index_stale: 1 }, now);
}

export type SnapshotChanges = Partial<
  Pick<
    SnapshotRow,
    | 'title'
    | 'title_origin'
    | 'notes'
    | 'index_stale'
    | 'trashed_at'
    | 'expected_captures'
    | 'config'
    | 'due_at'
    | 'status'
    | 'downloaded_at'
    | 'permissions'
    | 'stop_reason'
  >
>;

/** Changes columns and raises the revision. Call inside `write`; true when the row exists. */
export function updateSnapshot(db: Db, id: string, changes: SnapshotChanges, now: number): boolean {
  const update = sqlBuilder
    .updateTable('snapshot')
    .set((expression) => ({ ...changes, modified_at: now, revision: expression('revision', '+', 1) }))
    .where('id', '=', id);
  return db.run(update).changes === 1;
}

export interface SnapshotFilter {
  url?: string | undefined;
  tag?: string | undefined;
  status?: string | undefined;
  crawlId?: string | undefined;
  ids?: readonly string[] | undefined;
  /** Asked for at or after, and before: milliseconds. */
  from?: number | undefined;
  until?: number | undefined;
}

/** Position behind the last row of a page, newest first. */
export interface SnapshotCursor {
  bookmarkedAt: number;
  id: string;
}

/** One keyset page, newest first by the time the person asked for it. */
export function listSnapshots(db: Db, filter: SnapshotFilter, limit: number, after?: SnapshotCursor): SnapshotRow[] {
  let query = sqlBuilder.selectFrom('snapshot').selectAll('snapshot').where('snapshot.trashed_at', 'is', null);
  if (filter.url !== undefined) query = query.where('snapshot.url', '=', filter.url);
  if (filter.crawlId !== undefined) query = query.where('snapshot.crawl_id', '=', filter.crawlId);
  if (filter.status !== undefined) query = query.where('snapshot.status', '=', filter.status as SnapshotRow['status']);
  if (filter.ids !== undefined) query = query.where('snapshot.id', 'in', [...filter.ids]);
  if (filter.from !== undefined) query = query.where('snapshot.bookmarked_at', '>=', filter.from);
  if (filter.until !== undefined) query = query.where('snapshot.bookmarked_at', '<', filter.until);
  if (filter.tag !== undefined) {
    const folded = filter.tag.normalize('NFC').toLowerCase();
    query = query
      .innerJoin('snapshot_tag', 'snapshot_tag.snapshot_id', 'snapshot.id')
      .innerJoin('tag', 'tag.id', 'snapshot_tag.tag_id')
      .where('tag.name_folded', '=', folded);
  }
  if (after !== undefined) {
    query = query.where((where) =>
      where(where.refTuple('snapshot.bookmarked_at', 'snapshot.id'), '<', where.tuple(after.bookmarkedAt, after.id)),
    );
  }
  return db.all(query.orderBy('snapshot.bookmarked_at', 'desc').orderBy('snapshot.id', 'desc').limit(limit));
}

/** Pages that are not in the trash; triggers keep the number. */
export function countSnapshots(db: Db): number {
  return db.first(sqlBuilder.selectFrom('counter').select('n').where('name', '=', 'pages'))?.n ?? 0;
}
