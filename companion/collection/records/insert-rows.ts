import type { Db } from '../database.ts';
import type { RowLine } from './row-lines.ts';

/** Read from the table itself: a line of another version may have fewer columns or more. */
const knownTables = new Set(['crawl', 'snapshot', 'archive_result', 'output', 'tag', 'snapshot_tag', 'process']);

/** What is never true of rows that come from files. */
const replaced: Readonly<Record<string, Record<string, unknown>>> = {
  crawl: { lease_owner: null, lease_expires_at: null, persona_id: null, schedule_id: null },
  // Kept by trigger from the output rows.
  snapshot: { lease_owner: null, lease_expires_at: null, output_size: 0, index_stale: 0 },
};

/** Puts rows from files into a new database; one that is there already stays. Call inside `write`. */
export function insertRows(db: Db, lines: readonly RowLine[], machineId: string): void {
  for (const { table, row } of lines) {
    if (!knownTables.has(table)) continue;
    const machine = table === 'process' ? { machine_id: machineId } : {};
    const values: Record<string, unknown> = { ...row, ...replaced[table], ...machine };
    const columns = columnsOf(db, table).filter((column) => column in values);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const places = columns.map((column) => `:${column}`).join(', ');
    db.raw(
      `INSERT INTO ${table} (${names}) VALUES (${places}) ON CONFLICT DO NOTHING`,
      Object.fromEntries(columns.map((column) => [column, values[column]])),
    );
  }
}

function columnsOf(db: Db, table: string): string[] {
  return db.raw<{ name: string }>(`SELECT name FROM pragma_table_info(?)`, [table]).map(({ name }) => name);
}

/** Gives the owner the id that the rows name, and takes back what refers to rows that no file has. */
export function settleReferences(db: Db, ownerName: string): void {
  const [row] = db.raw<{ id: string }>(`SELECT created_by AS id FROM crawl ORDER BY created_at LIMIT 1`);
  if (row) db.raw(`UPDATE user SET id = :id WHERE name = :ownerName`, { id: row.id, ownerName });
  db.raw(`UPDATE snapshot SET parent_snapshot_id = NULL WHERE parent_snapshot_id IS NOT NULL
            AND NOT EXISTS (SELECT 1 FROM snapshot AS parent WHERE parent.id = snapshot.parent_snapshot_id)`);
}
