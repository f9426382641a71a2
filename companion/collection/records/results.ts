import { HoldfastError } from '../../../shared/errors/holdfast-error.ts';
import type { Digest } from '../../../shared/digest/digest.ts';
import { limits } from '../../../shared/limits.ts';
import { finalResultStatuses, type ResultOrigin, type ResultStatus } from '../../../shared/model/states.ts';
import { sqlBuilder, type Db } from '../database.ts';
import type { Recipe } from '../split/recipe.ts';
import { recordBlob } from './blobs.ts';
import { newRow, parseStringList } from './common.ts';
import { requireSnapshot } from './snapshots.ts';
import type { ArchiveResultRow, OutputRow, SnapshotRow } from './tables.ts';

export interface ResultKey {
  snapshotId: string;
  plugin: string;
  hookName: string;
}

export interface ResultChanges {
  status?: ResultStatus | undefined;
  outputStr?: string | undefined;
  outputJson?: Record<string, unknown> | undefined;
  origin?: ResultOrigin | undefined;
  error?: string | null | undefined;
  processId?: string | undefined;
  startedAt?: number | undefined;
  endedAt?: number | undefined;
}

export interface NewOutput {
  path: string;
  /** Bytes. */
  size: number;
  /** As sniffed by the companion. */
  mimetype: string;
  /** As said by the client: data, never served. */
  declaredType: string;
  digest: Digest;
  /** Set when the bytes are stored split. */
  recipe?: Recipe | undefined;
  /** Facts about the upload, shown in the API. */
  upload?: Record<string, unknown> | undefined;
}

export function findResult(db: Db, id: string): ArchiveResultRow | undefined {
  return db.first(sqlBuilder.selectFrom('archive_result').selectAll().where('id', '=', id));
}

export function findResultByKey(db: Db, key: ResultKey): ArchiveResultRow | undefined {
  return db.first(
    sqlBuilder
      .selectFrom('archive_result')
      .selectAll()
      .where('snapshot_id', '=', key.snapshotId)
      .where('plugin', '=', key.plugin)
      .where('hook_name', '=', key.hookName),
  );
}

export function resultsOfSnapshots(db: Db, snapshotIds: readonly string[]): ArchiveResultRow[] {
  if (snapshotIds.length === 0) return [];
  return db.all(
    sqlBuilder
      .selectFrom('archive_result')
      .selectAll()
      .where('snapshot_id', 'in', [...snapshotIds])
      .orderBy('id'),
  );
}

export function outputsOfResults(db: Db, resultIds: readonly string[]): Map<string, OutputRow[]> {
  const lists = new Map<string, OutputRow[]>(resultIds.map((id) => [id, []]));
  if (resultIds.length === 0) return lists;
  const query = sqlBuilder
    .selectFrom('output')
    .selectAll()
    .where('result_id', 'in', [...resultIds])
    .orderBy('path');
  for (const row of db.all(query)) lists.get(row.result_id)?.push(row);
  return lists;
}

export function findOutput(db: Db, resultId: string, outputPath: string): OutputRow | undefined {
  return db.first(
    sqlBuilder.selectFrom('output').selectAll().where('result_id', '=', resultId).where('path', '=', outputPath),
  );
}

/** Makes or merges a result by its key. `started` never lowers a row that is further. Call inside `write`. */
export function mergeResult(db: Db, key: ResultKey, changes: ResultChanges, now: number): ArchiveResultRow {
  const known = findResultByKey(db, key);
  return known ? changeResult(db, known, changes, now) : insertResult(db, key, changes, now);
}

function insertResult(db: Db, key: ResultKey, changes: ResultChanges, now: number): ArchiveResultRow {
  requireSnapshot(db, key.snapshotId);
  const row: ArchiveResultRow = {
    ...newRow(now),
    snapshot_id: key.snapshotId,
    plugin: key.plugin,
    hook_name: key.hookName,
    status: changes.status ?? 'started',
    output_str: changes.outputStr ?? '',
    output_json: changes.outputJson === undefined ? null : JSON.stringify(changes.outputJson),
    origin: changes.origin ?? 'fetched',
    process_id: changes.processId ?? null,
    started_at: changes.startedAt ?? now,
    ended_at: changes.endedAt ?? (isFinal(changes.status) ? now : null),
    error: changes.error ?? null,
    notes: '',
  };
  db.run(sqlBuilder.insertInto('archive_result').values(row));
  if (isFinal(row.status)) noteFinalResult(db, row.snapshot_id, row.plugin, now);
  return row;
}

/** Merges into a row that was read in this very transaction. */
export function changeResult(db: Db, row: ArchiveResultRow, changes: ResultChanges, now: number): ArchiveResultRow {
  const further = isFinal(row.status) && changes.status === 'started';
  const status = further ? row.status : (changes.status ?? row.status);
  const next: ArchiveResultRow = {
    ...row,
    status,
    output_str: changes.outputStr ?? row.output_str,
    output_json: changes.outputJson === undefined ? row.output_json : JSON.stringify(changes.outputJson),
    origin: changes.origin ?? row.origin,
    error: changes.error === undefined ? row.error : changes.error,
    process_id: changes.processId ?? row.process_id,
    started_at: changes.startedAt ?? row.started_at,
    ended_at: changes.endedAt ?? (isFinal(status) ? (row.ended_at ?? now) : row.ended_at),
  };
  if (JSON.stringify(next) === JSON.stringify(row)) return row;
  next.modified_at = now;
  next.revision = row.revision + 1;
  const { id, ...columns } = next;
  db.run(
    sqlBuilder.updateTable('archive_result').set(columns).where('id', '=', id).where('revision', '=', row.revision),
  );
  if (isFinal(next.status)) noteFinalResult(db, next.snapshot_id, next.plugin, now);
  return next;
}

function isFinal(status: ResultStatus | undefined): boolean {
  return status !== undefined && finalResultStatuses.includes(status);
}

/** Records complete files of the result of this key, which is made when it is not there. Call inside `write`. */
export function recordOutputs(
  db: Db,
  key: ResultKey,
  outputs: readonly NewOutput[],
  changes: ResultChanges,
  now: number,
): ArchiveResultRow {
  const result = findResultByKey(db, key) ?? insertResult(db, key, { ...changes, status: undefined }, now);
  return recordOutputsOf(db, result, outputs, changes, now);
}

/**
 * Records complete files of a result that was read in this very transaction, together with the merge of its row. A
 * path that has other bytes already moves to the new blob. Call after the gate has placed the bytes.
 */
export function recordOutputsOf(
  db: Db,
  result: ArchiveResultRow,
  outputs: readonly NewOutput[],
  changes: ResultChanges,
  now: number,
): ArchiveResultRow {
  for (const output of outputs) {
    recordBlob(db, output, now);
    const row: OutputRow = {
      result_id: result.id,
      path: output.path,
      size: output.size,
      mimetype: output.mimetype,
      declared_type: output.declaredType,
      digest: output.digest,
      upload: output.upload === undefined ? null : JSON.stringify(output.upload),
      created_at: now,
    };
    const { result_id: _result, path: _path, ...columns } = row;
    db.run(
      sqlBuilder
        .insertInto('output')
        .values(row)
        .onConflict((on) => on.columns(['result_id', 'path']).doUpdateSet(columns)),
    );
  }
  const count = db.first(
    sqlBuilder
      .selectFrom('output')
      .select((e) => e.fn.countAll<number>().as('n'))
      .where('result_id', '=', result.id),
  );
  if ((count?.n ?? 0) > limits.filesPerResultMax) {
    throw new HoldfastError('too_many_files', `One result may hold ${limits.filesPerResultMax} files.`);
  }
  const outputStr = changes.outputStr ?? (result.output_str === '' ? outputs[0]?.path : undefined);
  const merged = changeResult(db, result, { ...changes, outputStr }, now);
  if (outputs.length > 0) noteNewOutputs(db, result.snapshot_id, now);
  return merged;
}

function noteNewOutputs(db: Db, snapshotId: string, now: number): void {
  db.raw(
    `UPDATE snapshot SET downloaded_at = coalesce(downloaded_at, :now), inputs_revision = inputs_revision + 1,
       due_at = CASE WHEN status = 'sealed' THEN :now ELSE due_at END,
       index_stale = 1, modified_at = :now, revision = revision + 1 WHERE id = :id`,
    { now, id: snapshotId },
  );
}

/**
 * A capture that was announced has its final word. When it was the last one, snapshot and crawl become due now
 * (DESIGN section 4). A later upload to a snapshot that was already claimed or sealed makes it due as well.
 */
function noteFinalResult(db: Db, snapshotId: string, plugin: string, now: number): void {
  const snapshot = db.first(sqlBuilder.selectFrom('snapshot').selectAll().where('id', '=', snapshotId));
  if (!snapshot || snapshot.source !== 'browser' || snapshot.trashed_at !== null) return;
  const expected = parseStringList(snapshot.expected_captures);
  if (!expected.includes(plugin) || outstandingCaptures(db, snapshot).length > 0) return;
  db.raw(
    `UPDATE snapshot SET due_at = :now, modified_at = :now, revision = revision + 1
            WHERE id = :id AND status IN ('queued', 'started', 'sealed')`,
    { now, id: snapshotId },
  );
  db.raw(
    `UPDATE crawl SET due_at = :now, modified_at = :now, revision = revision + 1
            WHERE id = :id AND status IN ('queued', 'started')`,
    { now, id: snapshot.crawl_id },
  );
}

/** Announced captures whose result has no final status yet. */
export function outstandingCaptures(db: Db, snapshot: Pick<SnapshotRow, 'id' | 'expected_captures'>): string[] {
  const expected = parseStringList(snapshot.expected_captures);
  if (expected.length === 0) return [];
  const final = new Set(
    db
      .all(
        sqlBuilder
          .selectFrom('archive_result')
          .select('plugin')
          .where('snapshot_id', '=', snapshot.id)
          .where('status', 'in', [...finalResultStatuses]),
      )
      .map((row) => row.plugin),
  );
  return expected.filter((plugin) => !final.has(plugin));
}
