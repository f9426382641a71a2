import fs from 'node:fs/promises';
import path from 'node:path';
import { isHoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { holdsGeneration } from '../collection/records/leases.ts';
import { endProcess, insertProcess } from '../collection/records/processes.ts';
import { mergeResult, type NewOutput, type ResultKey } from '../collection/records/results.ts';
import { buildHookEnvironment } from '../plugin-registry/hook-environment.ts';
import type { Catalogue } from '../plugin-registry/plugin.ts';
import type { PlannedHook } from '../plugin-registry/plan-hooks.ts';
import { withRequirements } from '../plugin-registry/requirements.ts';
import { pidNamespace } from '../process/process-identity.ts';
import type { ProcessResult } from '../process/process-result.ts';
import { startProcess, type RunningProcess } from '../process/run-process.ts';
import { HookLines } from './hook-lines.ts';
import { decideOutcome, type HookOutcome } from './hook-outcome.ts';
import { promoteOutputs, recordHook } from './record-hook.ts';
import { findOutputs } from './run-folder.ts';
import type { SnapshotRun } from './snapshot-run.ts';

export type RunnableHook = Extract<PlannedHook, { action: 'run' }>;

/** A hook that runs now. */
export interface HookRun {
  hook: RunnableHook;
  /** Resolves at its first line of output, or when it ended without one. */
  ready: Promise<boolean>;
  /** Asks a background hook to end, with time to write what it has. */
  askToEnd(): void;
  /** Resolves when its result is recorded. Rejects only for failures of the collection itself. */
  recorded: Promise<void>;
}

/** Names of the files beside a hook's outputs that tell about the run itself. */
export function hookLogFiles(folder: string, hookName: string) {
  return {
    stdoutFile: path.join(folder, `${hookName}.stdout.log`),
    stderrFile: path.join(folder, `${hookName}.stderr.log`),
    metaFile: path.join(folder, `${hookName}.meta.json`),
  };
}

/**
 * Starts a hook in its plugin's folder of the run and records its end: exit code and times in `.meta.json` first, then
 * the outputs through the gate, then all rows in one transaction. Background daemons have no deadline of their own:
 * they are asked to end after the last foreground hook.
 */
export async function startHook(run: SnapshotRun, hook: RunnableHook): Promise<HookRun> {
  const folder = run.pluginFolder(hook.plugin);
  await fs.mkdir(folder, { recursive: true });
  const startedAt = Date.now();
  let env: Record<string, string>;
  try {
    env = await hookEnvironment(run, hook);
  } catch (error) {
    // Without a browser this hook fails; those that need none go on.
    return neverStarted(run, hook, startedAt, error instanceof Error ? error.message : String(error));
  }
  const lines = new HookLines();
  const { skips } = run.context;
  const skip = skips.signal;
  const running = startProcess(
    {
      command: [...hook.command, `--url=${run.row().url}`],
      env,
      cwd: folder,
      ...(isDaemon(hook) ? {} : { timeoutMs: hookTimeoutMs(run, hook) }),
      graceMs: hook.background ? limits.hookGraceMs : limits.killGraceMs,
      outputLimit: { folder, bytesMax: limits.hookOutputBytesMax },
      onStdoutLine: (line) => lines.push(line),
      logs: hookLogFiles(folder, hook.hookName),
    },
    hook.background ? run.signal : AbortSignal.any([run.signal, skip]),
  );
  if (!hook.background) skips.watch(running.result);
  const processId = await noteStart(run, hook, running, env, startedAt);
  let wasAskedToEnd = false;
  return {
    hook,
    ready: running.ready,
    askToEnd: () => {
      wasAskedToEnd = true;
      void running.end(limits.hookGraceMs);
    },
    recorded: running.result.then((result) =>
      noteEnd(run, hook, { result, lines, processId, startedAt, wasAskedToEnd, wasSkipped: skip.aborted }),
    ),
  };
}

function neverStarted(run: SnapshotRun, hook: RunnableHook, startedAt: number, message: string): HookRun {
  const record = { processId: undefined, exitCode: null, stdout: '', stderr: '', startedAt, endedAt: Date.now() };
  const recorded = recordHook(
    run.context.collection,
    {
      ...record,
      key: resultKey(run, hook),
      lease: run.lease,
      outcome: failed(message),
      tags: [],
      origin: originOf(hook),
    },
    [],
  );
  return { hook, ready: Promise.resolve(false), askToEnd: () => undefined, recorded: recorded.then(() => undefined) };
}

/** `.daemon.` hooks serve others until the end of the run; `.finite.` and plain background hooks end by themselves. */
export function isDaemon(hook: RunnableHook): boolean {
  return hook.background && !hook.hookName.includes('.finite');
}

function hookTimeoutMs(run: SnapshotRun, hook: RunnableHook): number {
  const own = run.config[`${hook.plugin.toUpperCase().replaceAll('-', '_')}_TIMEOUT`];
  const seconds = Number(own ?? run.config['TIMEOUT']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : limits.hookTimeoutMs;
}

async function hookEnvironment(run: SnapshotRun, hook: RunnableHook): Promise<Record<string, string>> {
  const { catalogue, collection, services } = run.context;
  const { layout } = collection;
  const snapshot = run.row();
  const browser = needsBrowser(catalogue, hook) ? await run.lendBrowser(hook.network) : undefined;
  const homeDir = path.join(layout.cache(), 'home');
  await fs.mkdir(homeDir, { recursive: true });
  return buildHookEnvironment(catalogue, {
    plugin: hook.plugin,
    config: run.config,
    snapDir: run.folder,
    crawlDir: run.crawlFolder,
    dataDir: layout.root,
    personasDir: layout.personas(),
    persona: run.persona,
    libDir: path.join(layout.cache(), 'lib'),
    nodeModulesDir: services.nodeModulesDir,
    homeDir,
    path: process.env['PATH'] ?? '',
    extraContext: { snapshot_id: run.lease.id, snapshot_depth: snapshot.depth },
    source: snapshot.source,
    ...(browser === undefined ? {} : { cdpUrl: browser.cdpUrl }),
    proxyEnvironment: await services.proxyEnvironment(hook.network),
  });
}

/** What a plugin needs to fetch a page it may not need for the copy: a browser costs seconds and memory. */
function needsBrowser(catalogue: Catalogue, hook: RunnableHook): boolean {
  if (hook.network) return withRequirements(catalogue.plugins, hook.plugin).includes('chrome');
  return catalogue.plugins.get(hook.plugin)?.manifest['x-derives-in-browser'] === true;
}

function originOf(hook: RunnableHook): 'fetched' | 'derived' {
  return hook.network ? 'fetched' : 'derived';
}

function resultKey(run: SnapshotRun, hook: RunnableHook): ResultKey {
  return { snapshotId: run.lease.id, plugin: hook.plugin, hookName: hook.hookName };
}

/** Process and result rows in one transaction; a lease that was lost meanwhile ends the hook at once. */
async function noteStart(
  run: SnapshotRun,
  hook: RunnableHook,
  running: RunningProcess,
  env: Record<string, string>,
  startedAt: number,
): Promise<string | undefined> {
  const { collection } = run.context;
  if (running.pid === undefined) return undefined;
  const { pid } = running;
  try {
    const id = await collection.db.write(() => {
      if (!holdsGeneration(collection.db, run.lease)) return undefined;
      const row = insertProcess(
        collection.db,
        {
          machineId: collection.machineId,
          type: 'hook',
          parentId: run.lease.owner,
          pid,
          pidNamespace: pidNamespace(),
          pidStartedAt: running.startedAt ?? '',
          snapshotId: run.lease.id,
          generation: run.lease.generation,
          hookName: hook.hookName,
          cmd: [...hook.command],
          cwd: run.pluginFolder(hook.plugin),
          env,
        },
        startedAt,
      );
      const origin = hook.network ? 'fetched' : 'derived';
      mergeResult(
        collection.db,
        resultKey(run, hook),
        { status: 'started', origin, processId: row.id, startedAt },
        startedAt,
      );
      return row.id;
    });
    if (id === undefined) await running.end(0);
    collection.bell.ring();
    return id;
  } catch (error) {
    await running.end(0);
    throw error;
  }
}

interface EndFacts {
  result: ProcessResult;
  lines: HookLines;
  processId: string | undefined;
  startedAt: number;
  wasAskedToEnd: boolean;
  /** A person ended this step alone. */
  wasSkipped: boolean;
}

async function noteEnd(run: SnapshotRun, hook: RunnableHook, facts: EndFacts): Promise<void> {
  const { result, lines } = facts;
  // A run that was cut off by the end of this runner is interrupted, not failed: recovery or the next claim says so.
  if (result.reason === 'cancelled' && run.stopReason() === 'shutdown') return noteInterruption(run, facts);
  let outcome = decideOutcome({ ...result, wasAskedToEnd: facts.wasAskedToEnd }, lines.result);
  if (result.reason === 'cancelled' && facts.wasSkipped && !run.signal.aborted) outcome = failed('You ended it.');
  let outputs: NewOutput[] = [];
  const found = await findOutputs(run.folder, hook.plugin, run.knownFiles);
  for (const { path: name, signature } of found.files) run.knownFiles.set(`${hook.plugin}/${name}`, signature);
  if (outcome.status !== 'failed') {
    try {
      outputs = await promoteOutputs(run.context.collection, found);
    } catch (error) {
      if (!isHoldfastError(error) || error.code === 'disk_full') throw error;
      outcome = failed(error.message);
    }
    if (found.refused.length > 0)
      outcome = { ...outcome, error: `Some files could not be kept: ${found.refused.slice(0, 3).join(' ')}` };
  }
  const recorded = await recordHook(
    run.context.collection,
    {
      key: resultKey(run, hook),
      lease: run.lease,
      processId: facts.processId,
      exitCode: result.exitCode,
      stdout: result.stdout,
      stderr: result.stderr,
      startedAt: facts.startedAt,
      endedAt: result.endedAtMs,
      outcome,
      tags: lines.tags,
      origin: originOf(hook),
    },
    outputs,
  );
  if (!recorded.fenced && recorded.raisedInputs) run.ownRevisions += 1;
  run.links.push(...lines.links.map((link) => ({ ...link, plugin: hook.plugin })));
}

async function noteInterruption(run: SnapshotRun, facts: EndFacts): Promise<void> {
  const { db } = run.context.collection;
  const { processId, result } = facts;
  if (processId !== undefined) await db.write(() => endProcess(db, processId, result, Date.now()));
}

function failed(message: string): HookOutcome {
  return { status: 'failed', outputStr: '', outputJson: undefined, error: message };
}
