import type { Db } from '../database.ts';
import { parseObject } from './common.ts';
import { redact } from './present.ts';
import type { SnapshotRow } from './tables.ts';

/** One row as it stands in the database, for `holdfast rebuild`. */
export interface RowLine {
  type: 'Row';
  table: string;
  row: Record<string, unknown>;
}

const queries: readonly (readonly [table: string, sql: string])[] = [
  ['crawl', `SELECT * FROM crawl WHERE id = :crawlId`],
  ['snapshot', `SELECT * FROM snapshot WHERE id = :id`],
  ['archive_result', `SELECT * FROM archive_result WHERE snapshot_id = :id ORDER BY id`],
  [
    'output',
    `SELECT output.* FROM archive_result JOIN output ON output.result_id = archive_result.id WHERE snapshot_id = :id`,
  ],
  ['tag', `SELECT tag.* FROM snapshot_tag JOIN tag ON tag.id = tag_id WHERE snapshot_id = :id ORDER BY tag.id`],
  ['snapshot_tag', `SELECT * FROM snapshot_tag WHERE snapshot_id = :id ORDER BY tag_id`],
  ['process', `SELECT * FROM process WHERE snapshot_id = :id AND status = 'exited' ORDER BY id`],
];

/** Every row of a snapshot that a person can see something of, secrets of the crawl's configuration left out. */
export function rowLines(db: Db, snapshot: SnapshotRow): RowLine[] {
  return queries.flatMap(([table, sql]) => {
    const bound = sql.includes(':crawlId') ? { crawlId: snapshot.crawl_id } : { id: snapshot.id };
    return db.raw(sql, bound).map((row) => ({ type: 'Row' as const, table, row: withoutSecrets(table, row) }));
  });
}

function withoutSecrets(table: string, row: Record<string, unknown>): Record<string, unknown> {
  return table === 'crawl' ? { ...row, config: JSON.stringify(redact(parseObject(String(row['config'])))) } : row;
}
