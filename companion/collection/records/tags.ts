import { limits } from '../../../shared/limits.ts';
import { sqlBuilder, type Db } from '../database.ts';
import { newRow } from './common.ts';
import type { TagRow } from './tables.ts';

/** A tag as it is kept: trimmed, white space folded, cut visibly when over-long; undefined when nothing is left. */
function cleanTagName(text: string): string | undefined {
  const name = text.replace(/\s+/g, ' ').trim();
  if (name === '') return undefined;
  return name.length > limits.tagLengthMax ? `${name.slice(0, limits.tagLengthMax - 1)}…` : name;
}

export function foldTagName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

export function findTagByName(db: Db, name: string): TagRow | undefined {
  return db.first(sqlBuilder.selectFrom('tag').selectAll().where('name_folded', '=', foldTagName(name)));
}

export function findTag(db: Db, id: string): TagRow | undefined {
  return db.first(sqlBuilder.selectFrom('tag').selectAll().where('id', '=', id));
}

/** Finds a tag without regard to case or makes it with this spelling. Call inside `write`. */
function ensureTag(db: Db, text: string, now: number): TagRow | undefined {
  const name = cleanTagName(text);
  if (name === undefined) return undefined;
  const known = findTagByName(db, name);
  if (known) return known;
  const row: TagRow = { ...newRow(now), name, name_folded: foldTagName(name) };
  db.run(sqlBuilder.insertInto('tag').values(row));
  return row;
}

/** Adds tags to a snapshot; those it has are left alone. Call inside `write`. Returns how many were added. */
export function addTags(db: Db, snapshotId: string, names: readonly string[], now: number): number {
  let added = 0;
  for (const name of names) {
    const tag = ensureTag(db, name, now);
    if (!tag) continue;
    const insert = sqlBuilder.insertInto('snapshot_tag').values({ snapshot_id: snapshotId, tag_id: tag.id });
    added += db.run(insert.onConflict((on) => on.doNothing())).changes;
  }
  return added;
}

/** Makes the snapshot's tags exactly these. Call inside `write`. */
export function replaceTags(db: Db, snapshotId: string, names: readonly string[], now: number): void {
  db.run(sqlBuilder.deleteFrom('snapshot_tag').where('snapshot_id', '=', snapshotId));
  addTags(db, snapshotId, names, now);
}

export function removeTag(db: Db, snapshotId: string, tagId: string): number {
  const remove = sqlBuilder
    .deleteFrom('snapshot_tag')
    .where('snapshot_id', '=', snapshotId)
    .where('tag_id', '=', tagId);
  return db.run(remove).changes;
}

/** Tag names of several snapshots, each list in the order the tags were made. */
export function tagsOfSnapshots(db: Db, snapshotIds: readonly string[]): Map<string, string[]> {
  const lists = new Map<string, string[]>(snapshotIds.map((id) => [id, []]));
  if (snapshotIds.length === 0) return lists;
  const query = sqlBuilder
    .selectFrom('snapshot_tag')
    .innerJoin('tag', 'tag.id', 'snapshot_tag.tag_id')
    .select(['snapshot_tag.snapshot_id as snapshotId', 'tag.name as name'])
    .where('snapshot_tag.snapshot_id', 'in', [...snapshotIds])
    .orderBy('tag.id');
  for (const row of db.all(query)) lists.get(row.snapshotId)?.push(row.name);
  return lists;
}

/** All tags by name with how many snapshots carry each. */
export function listTags(db: Db): { id: string; name: string; snapshots: number }[] {
  return db.all(
    sqlBuilder
      .selectFrom('tag')
      .leftJoin('snapshot_tag', 'snapshot_tag.tag_id', 'tag.id')
      .select((e) => [
        'tag.id as id',
        'tag.name as name',
        e.fn.count<number>('snapshot_tag.snapshot_id').as('snapshots'),
      ])
      .groupBy('tag.id')
      .orderBy('tag.name_folded'),
  );
}
