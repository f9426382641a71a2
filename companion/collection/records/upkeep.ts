import { sqlBuilder, type Db } from '../database.ts';

/** Milliseconds; 0 when the task was never done. */
export function upkeepDoneAt(db: Db, name: string): number {
  const query = sqlBuilder.selectFrom('upkeep').select('done_at').where('name', '=', name);
  return db.first(query)?.done_at ?? 0;
}

/** Call inside `write`. */
export function noteUpkeep(db: Db, name: string, now: number): void {
  db.run(
    sqlBuilder
      .insertInto('upkeep')
      .values({ name, done_at: now })
      .onConflict((on) => on.column('name').doUpdateSet({ done_at: now })),
  );
}

/** Rows of an index that one look may read: keeps ANALYZE in milliseconds however large the table is. */
const analysisLimit = 400;

/** Tables the planner needs statistics of. */
export function tablesToAnalyze(db: Db): string[] {
  return db
    .raw<{ name: string }>(
      `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
    )
    .map((row) => row.name);
}

/** Refreshes the statistics of one table; a short write. */
export async function analyzeTable(db: Db, table: string): Promise<void> {
  db.connection.pragma(`analysis_limit = ${analysisLimit}`);
  await db.write(() => db.connection.exec(`ANALYZE "${table}"`));
}

/** Moves what waits in the log into the database, without waiting for readers. */
export function checkpoint(db: Db): void {
  db.connection.pragma('wal_checkpoint(PASSIVE)');
}
