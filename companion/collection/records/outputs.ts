import type { Db } from '../database.ts';

/** Removes the output rows of a result that are not among `keep`, and returns their paths. Call inside `write`. */
export function dropOutputs(db: Db, resultId: string, keep: readonly string[]): string[] {
  const rows = db.raw<{ path: string }>(
    `DELETE FROM output WHERE result_id = :resultId AND path NOT IN (SELECT value FROM json_each(:keep)) RETURNING path`,
    { resultId, keep: JSON.stringify(keep) },
  );
  return rows.map((row) => row.path);
}
