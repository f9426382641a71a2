import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Db } from '../collection/database.ts';
import { checkPluginName } from '../collection/layout.ts';
import {
  findResult,
  findResultByKey,
  mergeResult,
  type ResultChanges,
  type ResultKey,
} from '../collection/records/results.ts';
import { isDeleted, requireSnapshot } from '../collection/records/snapshots.ts';
import type { ArchiveResultRow, SnapshotRow } from '../collection/records/tables.ts';

/** The rows an upload belongs to. */
export interface UploadTarget {
  result: ArchiveResultRow;
  snapshot: SnapshotRow;
}

/**
 * The result with its snapshot. `snapshotId` is what an upload under way remembers of it. Throws `not_found`,
 * `deleted`, or `invalid_plugin` for a row whose name no folder may have.
 */
export function requireTarget(db: Db, resultId: string, snapshotId?: string): UploadTarget {
  const result = findResult(db, resultId);
  if (result) {
    checkPluginName(result.plugin);
    return { result, snapshot: requireSnapshot(db, result.snapshot_id) };
  }
  if (isDeleted(db, resultId) || (snapshotId !== undefined && isDeleted(db, snapshotId))) {
    throw new HoldfastError('deleted', 'This page was deleted from your collection.');
  }
  throw new HoldfastError('not_found', `There is no result ${resultId}.`);
}

/** Finds the result, or announces it as the one whose files are to come; one that exists is left as it is. */
export async function ensureTarget(db: Db, key: ResultKey): Promise<UploadTarget> {
  const known = findResultByKey(db, key);
  if (known) return { result: known, snapshot: requireSnapshot(db, key.snapshotId) };
  return mergeTarget(db, key, { status: 'started' });
}

/** Makes or merges a result without touching its files. */
export async function mergeTarget(db: Db, key: ResultKey, changes: ResultChanges): Promise<UploadTarget> {
  return db.write(() => {
    const snapshot = requireSnapshot(db, key.snapshotId);
    return { snapshot, result: mergeResult(db, key, { ...changes, origin: 'browser' }, Date.now()) };
  });
}
