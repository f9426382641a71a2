import fs from 'node:fs/promises';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { writeHashes } from '../collection/hashes.ts';
import { writeIndexFiles } from '../collection/index-file.ts';
import { parseObject } from '../collection/records/common.ts';
import { stopReasons } from '../collection/records/crawl-limits.ts';
import {
  holdsGeneration,
  releaseSnapshot,
  sealSnapshot,
  settleSealedSnapshot,
  type Lease,
} from '../collection/records/leases.ts';
import { applyRepair, interruptedResults } from '../collection/records/recovery.ts';
import { requestSnapshot } from '../collection/records/requests.ts';
import { findResultByKey, mergeResult } from '../collection/records/results.ts';
import { updateSnapshot } from '../collection/records/snapshots.ts';
import { planRun, type RunPlan } from './plan-run.ts';
import { recordLinks } from './record-links.ts';
import { layOutSiblings, removeRunFolder } from './run-folder.ts';
import { runHooks } from './run-hooks.ts';
import type { RunnerContext } from './runner-context.ts';
import { SnapshotRun, type StopReason } from './snapshot-run.ts';

export type RunOutcome = 'sealed' | StopReason;

/** Plans made before a snapshot is given back for later: uploads that never end must not keep a runner for ever. */
const plansMax = 20;

/**
 * Works on one claimed snapshot until it is sealed, or until it was paused, cancelled or lost. Throws for failures of
 * the collection itself; the caller gives the lease back then.
 */
export async function runSnapshot(
  context: RunnerContext,
  lease: Lease,
  claimedAs: 'started' | 'sealed',
  shutdown: AbortSignal,
): Promise<RunOutcome> {
  const run = new SnapshotRun(context, lease, claimedAs);
  run.startWatching(shutdown);
  try {
    await fs.mkdir(run.folder, { recursive: true });
    await fs.mkdir(run.crawlFolder, { recursive: true });
    const outcome = await workUntilSealed(run);
    if (outcome !== 'sealed') await endUnsealed(run, outcome);
    if (outcome !== 'lost') await writeIndexFiles(context.collection, lease.id);
    await removeRunFolder(run.folder);
    return outcome;
  } finally {
    await run.close();
  }
}

async function workUntilSealed(run: SnapshotRun): Promise<RunOutcome> {
  let inputsChanged = false;
  for (let round = 0; round < plansMax; round += 1) {
    const before = run.row().inputs_revision;
    const requested = requestedList(run);
    run.ownRevisions = 0;
    await runPlan(run, planRun(run, inputsChanged));
    if (run.stopReason() === undefined) {
      await recordLinks(run);
      await recordHashes(run);
      if (await seal(run, before + run.ownRevisions, requested)) return 'sealed';
    }
    const stop = run.stopReason();
    if (stop !== undefined) return stop;
    inputsChanged = run.row().inputs_revision !== before + run.ownRevisions;
  }
  throw new HoldfastError('busy', 'New captures kept coming in while this page was worked on.');
}

async function runPlan(run: SnapshotRun, plan: RunPlan): Promise<void> {
  const { collection } = run.context;
  await recordSkips(run, plan.skipped);
  if (plan.hooks.length === 0) return;
  const willRun = new Set(plan.hooks.map((hook) => hook.plugin));
  for (const plugin of willRun) await fs.rm(run.pluginFolder(plugin), { recursive: true, force: true });
  await layOutSiblings(collection, run.lease.id, run.folder, willRun);
  const left = await runHooks(run, plan.hooks);
  if (left.length === 0) return;
  await collection.db.write(() =>
    updateSnapshot(collection.db, run.lease.id, { stop_reason: stopReasons.snapshotMaxSize }, Date.now()),
  );
  await recordSkips(
    run,
    left.map((hook) => ({ ...hook, reason: fullSentence })),
  );
}

const fullSentence = 'the page had reached its size limit (SNAPSHOT_MAX_SIZE)';

/** Hooks that do not run say why; a result that is there already is left alone. */
async function recordSkips(
  run: SnapshotRun,
  skipped: readonly { plugin: string; hookName: string; reason: string }[],
): Promise<void> {
  if (skipped.length === 0) return;
  const { db } = run.context.collection;
  await db.write(() => {
    if (!holdsGeneration(db, run.lease)) return;
    const now = Date.now();
    for (const hook of skipped) {
      const key = { snapshotId: run.lease.id, plugin: hook.plugin, hookName: hook.hookName };
      if (findResultByKey(db, key)?.status === 'succeeded') continue;
      mergeResult(
        db,
        key,
        { status: 'skipped', outputStr: hook.reason, origin: 'derived', error: null, startedAt: now, endedAt: now },
        now,
      );
    }
  });
}

function requestedList(run: SnapshotRun): string | null {
  const list = parseObject(run.row().config)['RETRY_PLUGINS'];
  return list === undefined ? null : JSON.stringify(list);
}

async function seal(run: SnapshotRun, inputsRevision: number, requested: string | null): Promise<boolean> {
  const { collection } = run.context;
  const sealed = await collection.db.write(() =>
    run.claimedAs === 'started'
      ? sealSnapshot(collection.db, run.lease, inputsRevision, Date.now())
      : settleSealedSnapshot(collection.db, run.lease, { inputsRevision, requested }, Date.now()),
  );
  if (sealed) collection.bell.ring();
  return sealed;
}

/** Gives an unfinished snapshot back. A cancelled one is sealed here, because its crawl may have been the one cancelled. */
async function endUnsealed(run: SnapshotRun, outcome: StopReason): Promise<void> {
  const { collection } = run.context;
  await collection.db.write(() => {
    const now = Date.now();
    const row = run.row();
    if (row.lease_generation !== run.lease.generation) return;
    releaseSnapshot(collection.db, run.lease, now, now);
    if (row.status === 'sealed' || row.status === 'paused') return;
    if (outcome === 'cancelled') requestSnapshot(collection.db, row.id, 'cancel', now);
    if (outcome === 'paused' && row.status === 'started') requestSnapshot(collection.db, row.id, 'pause', now);
  });
  if (outcome === 'shutdown') await applyRepair(collection.db, interruptedResults, Date.now());
  collection.bell.ring();
}

async function recordHashes(run: SnapshotRun): Promise<void> {
  if (run.config['HASHES_ENABLED'] === false) return;
  if (await writeHashes(run.context.collection, run.lease)) run.ownRevisions += 1;
}
