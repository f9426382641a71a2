import { sql } from 'kysely';
import { limits } from '../../../shared/limits.ts';
import { newId } from '../../../shared/model/ids.ts';
import { sqlBuilder, type Db } from '../database.ts';
import { newRow } from './common.ts';
import type { ProcessRow } from './tables.ts';

/** Who a process is, so that its row cannot be mistaken for a later process with the same number. */
export interface ProcessIdentity {
  pid: number;
  pidNamespace: string;
  /** Opaque start time; empty when the process was gone before it could be read. */
  pidStartedAt: string;
}

export interface NewProcess extends ProcessIdentity {
  machineId: string;
  type: 'runner' | 'hook';
  workerType?: 'waiting' | 'active' | undefined;
  parentId?: string | undefined;
  version?: string | undefined;
  snapshotId?: string | undefined;
  generation?: number | undefined;
  hookName?: string | undefined;
  cmd: readonly string[];
  cwd: string;
  env?: Readonly<Record<string, string>> | undefined;
}

/** Written out, not bound: only so can SQLite see that the partial indexes hold the rows. */
const running = sql.lit('running' as const);

const SENSITIVE = /TOKEN|SECRET|API_?KEY|PASSWORD|COOKIE/i;
/** Bytes of each stream kept in a row; the whole lies in the run folder until the run has ended. */
const STREAM_KEPT = 32 * 1024;

/** Inserts a running process. Call inside `write`. */
export function insertProcess(db: Db, input: NewProcess, now: number): ProcessRow {
  const env = Object.entries(input.env ?? {}).map(([key, value]) => [key, SENSITIVE.test(key) ? '********' : value]);
  const row: ProcessRow = {
    ...newRow(now, newId(now)),
    machine_id: input.machineId,
    parent_id: input.parentId ?? null,
    type: input.type,
    worker_type: input.workerType ?? '',
    pid: input.pid,
    pid_namespace: input.pidNamespace,
    pid_started_at: input.pidStartedAt,
    version: input.version ?? '',
    snapshot_id: input.snapshotId ?? null,
    generation: input.generation ?? null,
    hook_name: input.hookName ?? null,
    cmd: JSON.stringify(input.cmd),
    cwd: input.cwd,
    env: JSON.stringify(Object.fromEntries(env)),
    exit_code: null,
    stdout: '',
    stderr: '',
    started_at: now,
    ended_at: null,
    heartbeat_at: now,
    status: 'running',
  };
  db.run(sqlBuilder.insertInto('process').values(row));
  return row;
}

export interface ProcessEnd {
  exitCode: number | null;
  stdout?: string;
  stderr?: string;
}

/** Marks a running process as exited. Call inside `write`; false when it was already. */
export function endProcess(db: Db, id: string, end: ProcessEnd, now: number): boolean {
  const update = sqlBuilder
    .updateTable('process')
    .set((expression) => ({
      status: 'exited' as const,
      exit_code: end.exitCode,
      stdout: (end.stdout ?? '').slice(-STREAM_KEPT),
      stderr: (end.stderr ?? '').slice(-STREAM_KEPT),
      ended_at: now,
      modified_at: now,
      revision: expression('revision', '+', 1),
    }))
    .where('id', '=', id)
    .where('status', '=', 'running');
  return db.run(update).changes === 1;
}

export function findProcess(db: Db, id: string): ProcessRow | undefined {
  return db.first(sqlBuilder.selectFrom('process').selectAll().where('id', '=', id));
}

/** Says that a runner lives. Call inside `write`; false when the row was retired by somebody. */
export function beatProcess(db: Db, id: string, now: number): boolean {
  const update = sqlBuilder
    .updateTable('process')
    .set({ heartbeat_at: now })
    .where('id', '=', id)
    .where('status', '=', 'running');
  return db.run(update).changes === 1;
}

/** The runner that owns the work of this collection on this machine, dead or alive as its row says. */
export function findActiveRunner(db: Db, machineId: string): ProcessRow | undefined {
  return db.first(
    sqlBuilder
      .selectFrom('process')
      .selectAll()
      .where('machine_id', '=', machineId)
      .where('status', '=', running)
      .where('type', '=', sql.lit('runner'))
      .where('worker_type', '=', sql.lit('active')),
  );
}

/** All rows of one type that say they run. */
export function runningProcesses(db: Db, machineId: string, type: NewProcess['type']): ProcessRow[] {
  return db.all(
    sqlBuilder
      .selectFrom('process')
      .selectAll()
      .where('status', '=', running)
      .where('type', '=', type)
      .where('machine_id', '=', machineId)
      .orderBy('id'),
  );
}

/** Runners of every machine that say they run. */
export function runningRunners(db: Db): ProcessRow[] {
  return db.all(
    sqlBuilder.selectFrom('process').selectAll().where('status', '=', running).where('type', '=', sql.lit('runner')),
  );
}

/**
 * Makes a waiting runner the active one, when there is none. Call inside `write`; the partial unique index
 * `process_active_runner` holds even if two come at the same moment.
 */
export function promoteRunner(db: Db, id: string, machineId: string, now: number): boolean {
  if (findActiveRunner(db, machineId)) return false;
  const update = sqlBuilder
    .updateTable('process')
    .set({ worker_type: 'active', heartbeat_at: now, modified_at: now })
    .where('id', '=', id)
    .where('status', '=', running)
    .where('worker_type', '=', 'waiting');
  return db.run(update).changes === 1;
}

/** True when a runner of another process space has not been heard of for so long that it may be retired. */
export function isHeartbeatStale(row: ProcessRow, now: number): boolean {
  return row.heartbeat_at < now - limits.leaseMs;
}

/** Says of every process that it has ended, as on another machine or after a restore. Call inside `write`. */
export function endAllProcesses(db: Db, now: number): void {
  db.raw(`UPDATE process SET status = 'exited', ended_at = :now, modified_at = :now WHERE status = 'running'`, { now });
}
