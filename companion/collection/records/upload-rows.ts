import { sqlBuilder, type Db } from '../database.ts';
import type { OutputRow } from './tables.ts';

export interface PathFacts {
  /** Files the result holds, this path not counted. */
  otherFiles: number;
  /** A path in the plugin's folder, of whichever result, that is a folder of this one or has this one as a folder. */
  clash: string | null;
}

/** What the recorded paths say about a new one of this result; one statement. */
export function pathFacts(db: Db, resultId: string, outputPath: string): PathFacts {
  const folders = outputPath
    .split('/')
    .slice(0, -1)
    .map((_part, index, all) => all.slice(0, index + 1).join('/'));
  const rows = db.raw<{ others: number; clash: string | null }>(
    `SELECT count(*) FILTER (WHERE result_id = :resultId AND path <> :path) AS others,
            min(path) FILTER (WHERE path IN (SELECT value FROM json_each(:folders))
                                 OR substr(path, 1, length(:path) + 1) = :path || '/') AS clash
       FROM archive_result AS own
       JOIN archive_result AS sibling ON sibling.snapshot_id = own.snapshot_id AND sibling.plugin = own.plugin
       JOIN output ON output.result_id = sibling.id
      WHERE own.id = :resultId`,
    { path: outputPath, folders: JSON.stringify(folders), resultId },
  );
  return { otherFiles: rows[0]?.others ?? 0, clash: rows[0]?.clash ?? null };
}

/**
 * Paths in the plugin's folder that other results of the plugin hold. A file of this result must not be a folder of
 * one of them, nor have one as a folder.
 */
export function siblingPaths(db: Db, key: { snapshotId: string; plugin: string; hookName: string }): string[] {
  const rows = db.raw<{ path: string }>(
    `SELECT output.path FROM archive_result JOIN output ON output.result_id = archive_result.id
      WHERE archive_result.snapshot_id = :snapshotId AND archive_result.plugin = :plugin
        AND archive_result.hook_name <> :hookName`,
    { ...key },
  );
  return rows.map((row) => row.path);
}

/** Those of the digests that some file of this person's snapshots has; give at most a few hundred at a time. */
export function knownDigests(db: Db, ownerId: string, digests: readonly string[]): string[] {
  const rows = db.raw<{ digest: string }>(
    `SELECT value AS digest FROM json_each(:digests) WHERE EXISTS (
       SELECT 1 FROM output JOIN archive_result ON archive_result.id = output.result_id
                            JOIN snapshot ON snapshot.id = archive_result.snapshot_id
        WHERE output.digest = value AND snapshot.created_by = :ownerId AND snapshot.trashed_at IS NULL)`,
    { digests: JSON.stringify(digests), ownerId },
  );
  return rows.map((row) => row.digest);
}

/**
 * Takes back a file that was attached a moment ago and puts the one in its place that was there before. Nothing
 * happens when another writer has changed the path meanwhile. Call inside `write`.
 */
export function takeBackOutput(db: Db, attached: OutputRow, before: OutputRow | undefined): void {
  const same = sqlBuilder
    .deleteFrom('output')
    .where('result_id', '=', attached.result_id)
    .where('path', '=', attached.path)
    .where('digest', '=', attached.digest)
    .where('created_at', '=', attached.created_at);
  if (db.run(same).changes === 1 && before) db.run(sqlBuilder.insertInto('output').values(before));
}
