import Database from 'better-sqlite3';
import path from 'node:path';
import type { Collection } from '../../companion/collection/open-collection.ts';

/** Tables that grow with the collection. */
const bigTables = [
  'archive_result',
  'blob',
  'blob_part',
  'crawl',
  'output',
  'process',
  'receipt',
  'snapshot',
  'snapshot_tag',
  'tombstone',
];
const rows = 1_000_000;

/** SQL of every statement a connection has prepared. */
export function preparedStatements(collection: Collection): string[] {
  const statements = Reflect.get(collection.db, 'statements') as Map<string, unknown>;
  return [...statements.keys()];
}

/** An empty database of the same schema whose planner believes in a million rows of every big table. */
export function databaseOfAMillion(collection: Collection, folder: string): Database.Database {
  const file = path.join(folder, 'million.sqlite3');
  collection.db.raw('VACUUM INTO :file', { file });
  const first = new Database(file);
  first.exec('ANALYZE');
  first.exec('DELETE FROM sqlite_stat1');
  const indexes = first
    .prepare(`SELECT name, tbl_name AS 'table', sql FROM sqlite_schema WHERE type = 'index'`)
    .all() as { name: string; table: string; sql: string | null }[];
  const insert = first.prepare('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)');
  for (const { name, table, sql } of indexes) {
    if (bigTables.includes(table)) insert.run(table, name, statOf(first, name, sql));
  }
  first.close();
  return new Database(file, { readonly: true });
}

/** Rows of the index, then how many share the first column, the first two and so on. */
function statOf(connection: Database.Database, index: string, sql: string | null): string {
  const isPartial = sql !== null && / WHERE /i.test(sql);
  const total = isPartial ? rows / 100 : rows;
  const columns = connection.pragma(`index_info(${index})`) as { name: string | null }[];
  let shared = total;
  const counts = columns.map(({ name }, position) => {
    shared = Math.max(
      1,
      Math.floor(position === columns.length - 1 && /UNIQUE/i.test(sql ?? 'UNIQUE') ? 1 : shared / spread(name)),
    );
    return shared;
  });
  return [total, ...counts].join(' ');
}

/** Different values of a column, roughly. */
function spread(column: string | null): number {
  if (column === 'status' || column === 'source') return 4;
  if (column === 'plugin' || column === 'hook_name' || column === 'type') return 30;
  if (column === 'depth' || column === 'machine_id') return 4;
  return column === 'crawl_id' ? 1_000 : 100_000;
}

/** Steps of a plan that read a big table from end to end; a walk along an index is none when the statement has a LIMIT. */
export function scansOf(connection: Database.Database, sql: string): string[] {
  const steps = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...unbound(sql)) as { detail: string }[];
  return steps
    .map(({ detail }) => detail)
    .filter((detail) => {
      const name = /^SCAN (\w+)/.exec(detail)?.[1];
      if (name === undefined || !bigTables.includes(tableOf(sql, name))) return false;
      return !(/USING (COVERING )?INDEX/.test(detail) && /\bLIMIT\b/i.test(sql));
    });
}

/** An alias stands for its table. */
function tableOf(sql: string, name: string): string {
  return new RegExp(`"?(\\w+)"? AS "?${name}"?\\b`, 'i').exec(sql)?.[1] ?? name;
}

/** Plans need no values, but the library wants one for each place. */
function unbound(sql: string): unknown[] {
  const names = [...new Set([...sql.matchAll(/[:@](\w+)/g)].map((match) => match[1]!))];
  if (names.length > 0) return [Object.fromEntries(names.map((name) => [name, null]))];
  return [...sql.matchAll(/\?/g)].map(() => null);
}
