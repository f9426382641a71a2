import fs from 'node:fs/promises';
import path from 'node:path';
import { limits } from '../../shared/limits.ts';
import { hookEnvironment } from '../../shared/plugin-contract/environment.ts';
import type { Db } from '../collection/database.ts';
import { findCrawl } from '../collection/records/crawls.ts';
import { isWorkInProgress, type WorkScope } from '../collection/records/due-work.ts';
import { endProcess, findProcess, runningProcesses } from '../collection/records/processes.ts';
import { applyRepair, repairs } from '../collection/records/recovery.ts';
import { findResultByKey, outputsOfResults, resultsOfSnapshots } from '../collection/records/results.ts';
import { findSnapshot } from '../collection/records/snapshots.ts';
import type { ProcessRow } from '../collection/records/tables.ts';
import { endProcessGroup } from '../process/end-process-group.ts';
import { findGroupsByVariable } from '../process/find-by-environment.ts';
import { pidNamespace } from '../process/process-identity.ts';
import { parseProcessMeta } from '../process/process-result.ts';
import { HookLines } from './hook-lines.ts';
import { decideOutcome } from './hook-outcome.ts';
import { promoteOutputs, recordHook } from './record-hook.ts';
import { hookLogFiles } from './run-hook.ts';
import { findOutputs, removeRunFolder } from './run-folder.ts';
import type { RunnerContext } from './runner-context.ts';
import { isOfFolder, isRunnerAlive } from './runner-seat.ts';

/** What recovery found, by the name of each repair; only those that changed something. */
export type RecoveryCounts = Record<string, number>;

/**
 * Puts right what a death left behind (DESIGN section 4). Only the active runner calls it, at its start and every 30 s.
 * Uploads are never touched. A second run changes nothing.
 */
export async function recover(
  context: RunnerContext,
  runnerId: string,
  scope: WorkScope = {},
): Promise<RecoveryCounts> {
  const counts: RecoveryCounts = {};
  const note = (name: string, count: number, sentence: string): void => {
    if (count === 0) return;
    counts[name] = count;
    context.log.info({ repair: name, count }, sentence);
  };
  note('dead_runners', await endDeadRunners(context, runnerId), 'A runner had died; its work goes on here.');
  const hooks = await endOrphanHooks(context, scope);
  note('orphan_hooks', hooks.ended, 'Steps whose runner had died were ended.');
  note('unrecorded_hooks', hooks.recorded, 'Steps that had ended before their runner died were recorded.');
  for (const repair of repairs) {
    const count = await applyRepair(context.collection.db, repair, Date.now(), scope);
    note(repair.name, count, repair.sentence(count));
  }
  await sweepRunFolders(context);
  if (Object.keys(counts).length > 0) context.collection.bell.ring();
  return counts;
}

async function endDeadRunners(context: RunnerContext, runnerId: string): Promise<number> {
  const { db, machineId } = context.collection;
  const now = Date.now();
  const dead = runningProcesses(db, machineId, 'runner').filter(
    (row) => row.id !== runnerId && !isRunnerAlive(context.collection, row, now),
  );
  if (dead.length === 0) return 0;
  return db.write(() => dead.filter((row) => endProcess(db, row.id, { exitCode: null }, now)).length);
}

/** Hooks of runners that are gone: their process groups are ended; what had ended regularly is recorded. */
async function endOrphanHooks(context: RunnerContext, scope: WorkScope): Promise<{ ended: number; recorded: number }> {
  const { db, machineId } = context.collection;
  const orphans = runningProcesses(db, machineId, 'hook').filter(
    (row) =>
      isInScope(db, row.snapshot_id, scope) &&
      (row.parent_id === null || findProcess(db, row.parent_id)?.status !== 'running'),
  );
  const counts = { ended: await endUnwrittenHooks(context), recorded: 0 };
  for (const row of orphans) {
    const isOurs = row.pid_namespace === pidNamespace() && isOfFolder(context.collection, row.cwd);
    if (isOurs) await endProcessGroup(row.pid, limits.killGraceMs, row.pid_started_at);
    if (await recordSavedEnd(context, row)) counts.recorded += 1;
    else if (await db.write(() => endProcess(db, row.id, { exitCode: null }, Date.now()))) counts.ended += 1;
  }
  return counts;
}

function isInScope(db: Db, snapshotId: string | null, scope: WorkScope): boolean {
  if (scope.crawlId === undefined && scope.snapshotIds === undefined) return true;
  if (snapshotId === null) return false;
  const isListed = scope.snapshotIds?.includes(snapshotId) ?? true;
  return isListed && (scope.crawlId === undefined || findSnapshot(db, snapshotId)?.crawl_id === scope.crawlId);
}

/**
 * A runner that dies between starting a hook and writing its row leaves one that no row names. Its environment does:
 * it holds the run folder. Folders of living runners are left alone.
 */
async function endUnwrittenHooks(context: RunnerContext): Promise<number> {
  const { db, layout } = context.collection;
  const orphaned = await listRunFolders(context, (snapshotId, generation) => {
    const snapshot = findSnapshot(db, snapshotId);
    const owner = snapshot?.lease_generation === generation ? snapshot.lease_owner : null;
    return owner === null || findProcess(db, owner)?.status !== 'running';
  });
  const folders = new Set(orphaned.map((name) => path.join(layout.runs(), name)));
  const known = new Set(runningProcesses(db, context.collection.machineId, 'hook').map((row) => row.pid));
  const groups = findGroupsByVariable(hookEnvironment.snapDir, folders).filter((group) => !known.has(group));
  const ended = await Promise.all(groups.map((group) => endProcessGroup(group, limits.killGraceMs)));
  return ended.filter(Boolean).length;
}

/** Names of the run folders of snapshots that fit. */
async function listRunFolders(
  context: RunnerContext,
  fits: (snapshotId: string, generation: number) => boolean,
): Promise<string[]> {
  const names = await fs.readdir(context.collection.layout.runs());
  return names.filter((name) => {
    const match = /^([0-9a-f-]{36})-(\d+)$/.exec(name);
    return match?.[1] !== undefined && fits(match[1], Number(match[2]));
  });
}

/** Records a hook from its saved exit code and files; false when it had not ended by itself before its runner died. */
async function recordSavedEnd(context: RunnerContext, row: ProcessRow): Promise<boolean> {
  const { collection } = context;
  if (row.snapshot_id === null || row.hook_name === null || row.generation === null) return false;
  const logs = hookLogFiles(row.cwd, row.hook_name);
  const [meta, stdout, stderr] = await Promise.all([logs.metaFile, logs.stdoutFile, logs.stderrFile].map(readIfThere));
  if (meta === undefined) return false;
  const end = parseProcessMeta(meta);
  if (end.reason === 'cancelled' || end.pid !== row.pid) return false;
  const plugin = path.basename(row.cwd);
  const key = { snapshotId: row.snapshot_id, plugin, hookName: row.hook_name };
  const lines = new HookLines();
  for (const line of (stdout ?? '').split('\n')) lines.push(line);
  const outcome = decideOutcome(
    { ...end, stderr: stderr ?? '', wasAskedToEnd: row.hook_name.includes('.bg') },
    lines.result,
  );
  const found = await findOutputs(path.dirname(row.cwd), plugin, new Map());
  const others = digestsOfOtherHooks(context, key);
  const outputs = outcome.status === 'failed' ? [] : await promoteOutputs(collection, found);
  const origin = findResultByKey(collection.db, key)?.origin === 'fetched' ? 'fetched' : 'derived';
  await recordHook(
    collection,
    {
      key,
      lease: { id: row.snapshot_id, owner: row.parent_id ?? '', generation: row.generation },
      processId: row.id,
      exitCode: end.exitCode,
      stdout: stdout ?? '',
      stderr: stderr ?? '',
      startedAt: row.started_at,
      endedAt: end.endedAtMs,
      outcome,
      tags: lines.tags,
      origin,
    },
    outputs.filter((output) => !others.has(`${output.path} ${output.digest}`)),
  );
  return true;
}

/** Hooks of one plugin share a folder; what another of them recorded already is not this one's. */
function digestsOfOtherHooks(
  context: RunnerContext,
  key: { snapshotId: string; plugin: string; hookName: string },
): Set<string> {
  const { db } = context.collection;
  const results = resultsOfSnapshots(db, [key.snapshotId]).filter(
    (result) => result.plugin === key.plugin && result.hook_name !== key.hookName,
  );
  const outputs = outputsOfResults(
    db,
    results.map((result) => result.id),
  );
  return new Set([...outputs.values()].flat().map((output) => `${output.path} ${output.digest}`));
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await fs.readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes folders of runs that are over: another claim came later, or nobody holds the lease any more. */
async function sweepRunFolders(context: RunnerContext): Promise<void> {
  const { db, layout } = context.collection;
  const over = await listRunFolders(context, (id, generation) => isSnapshotRunOver(db, id, generation));
  const crawls = (await fs.readdir(layout.runs())).filter((name) => {
    const match = /^crawl-([0-9a-f-]{36})-\d+$/.exec(name);
    return match?.[1] !== undefined && isCrawlRunOver(db, match[1]);
  });
  for (const name of [...over, ...crawls]) await removeRunFolder(path.join(layout.runs(), name));
}

function isSnapshotRunOver(db: Db, snapshotId: string, generation: number): boolean {
  const snapshot = findSnapshot(db, snapshotId);
  return !snapshot || snapshot.lease_owner === null || snapshot.lease_generation !== generation;
}

function isCrawlRunOver(db: Db, crawlId: string): boolean {
  return (findCrawl(db, crawlId)?.status ?? 'sealed') === 'sealed' && !isWorkInProgress(db, { crawlId });
}
