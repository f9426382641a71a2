import { finalResultStatuses, uploadHookName } from '../../shared/model/states.ts';
import { parseObject } from '../collection/records/common.ts';
import { interruptedSentence } from '../collection/records/recovery.ts';
import { everyPlugin, requestedPlugins } from '../collection/records/requests.ts';
import { outputsOfResults, resultsOfSnapshots } from '../collection/records/results.ts';
import type { ArchiveResultRow } from '../collection/records/tables.ts';
import { findPlugin } from '../plugin-registry/choose-plugins.ts';
import type { HookConfig } from '../plugin-registry/hook-config.ts';
import { planHooks, type PlannedHook } from '../plugin-registry/plan-hooks.ts';
import { withRequirements } from '../plugin-registry/requirements.ts';
import { captureFolders } from './run-folder.ts';
import type { RunnableHook } from './run-hook.ts';
import type { SnapshotRun } from './snapshot-run.ts';
import { parseWebUrl } from '../../shared/url/web-url.ts';

export interface RunPlan {
  hooks: RunnableHook[];
  skipped: Extract<PlannedHook, { action: 'skip' }>[];
}

/**
 * What is left to do for a claimed snapshot, computed from rows before anything runs. An open snapshot runs what has no
 * final result, what was interrupted, and what worked from the browser's files before a later capture came in; a
 * sealed one runs the requested plugins and the last kind. `again` are derived hooks of this run whose inputs changed.
 */
export function planRun(run: SnapshotRun, again: boolean): RunPlan {
  const { catalogue, collection } = run.context;
  const snapshot = run.row();
  if (run.config['INDEX_ONLY'] === true || parseObject(run.crawl.config)['INDEX_ONLY'] === true)
    return { hooks: [], skipped: [] };
  const results = resultsOfSnapshots(collection.db, [snapshot.id]);
  const asked = run.claimedAs === 'sealed' ? knownPlugins(run, requestedPlugins(snapshot) ?? []) : [];
  const config = usableConfig(run);
  if (config === undefined) return { hooks: [], skipped: [] };
  const plan = planHooks(catalogue, {
    event: 'Snapshot',
    source: snapshot.source,
    onWeb: parseWebUrl(snapshot.url).ok,
    fetch: parseObject(snapshot.config)['FETCH'] === true,
    delivered: deliveredPlugins(results),
    config,
    ...(asked.length > 0 && !asked.includes(everyPlugin) ? { requested: asked } : {}),
  });
  const lastCapture = newestCapture(run, results);
  const state = new Map(results.map((result) => [`${result.plugin}/${result.hook_name}`, result]));
  const isOpen = (hook: PlannedHook): boolean => {
    const result = state.get(`${hook.plugin}/${hook.hookName}`);
    const worksFromCopy = hook.action === 'run' && !hook.network;
    if (worksFromCopy && (again || (result?.started_at ?? Number.POSITIVE_INFINITY) <= lastCapture)) return true;
    if (run.claimedAs === 'sealed')
      return asked.includes(hook.plugin) || (asked.includes(everyPlugin) && !isDone(hook, result));
    return !isDone(hook, result);
  };
  return withNeeded(run, plan, isOpen);
}

/** A result that an earlier plan only skipped is no reason to skip the hook now. */
function isDone(hook: PlannedHook, result: ArchiveResultRow | undefined): boolean {
  if (!result || !finalResultStatuses.includes(result.status)) return false;
  if (result.status === 'skipped' && result.process_id === null && hook.action === 'run') return false;
  return !(result.status === 'failed' && result.error === interruptedSentence);
}

/** Plugins that hooks need run with them: a tab that was opened for an earlier run is gone. */
function withNeeded(run: SnapshotRun, plan: readonly PlannedHook[], isOpen: (hook: PlannedHook) => boolean): RunPlan {
  const open = plan.filter(isOpen);
  const needed = new Set(
    open
      .filter((hook) => hook.action === 'run')
      .flatMap((hook) => withRequirements(run.context.catalogue.plugins, hook.plugin)),
  );
  return {
    hooks: plan.filter(
      (hook): hook is RunnableHook => hook.action === 'run' && (isOpen(hook) || needed.has(hook.plugin)),
    ),
    skipped: open.filter((hook) => hook.action === 'skip'),
  };
}

/** The crawl's own list of plugins without those that are gone; undefined when it named some and all of them are. */
function usableConfig(run: SnapshotRun): HookConfig | undefined {
  const names = String(run.config['PLUGINS'] ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) return run.config;
  const known = knownPlugins(run, names);
  return known.length === 0 ? undefined : { ...run.config, PLUGINS: known.join(',') };
}

/** Requested plugins that exist here; a name of a plugin that was removed must not stop the others. */
function knownPlugins(run: SnapshotRun, names: readonly string[]): string[] {
  return names.filter((name) => name === everyPlugin || findPlugin(run.context.catalogue, name) !== undefined);
}

/** Folders that the browser's captures fill, so that their plugins need not fetch the page logged out. */
function deliveredPlugins(results: readonly ArchiveResultRow[]): string[] {
  return results
    .filter((result) => result.status === 'succeeded')
    .map((result) => captureFolders[result.plugin])
    .filter((name) => name !== undefined);
}

/** When the latest file of an upload was recorded, in milliseconds; 0 when there is none. */
function newestCapture(run: SnapshotRun, results: readonly ArchiveResultRow[]): number {
  const uploads = results.filter((result) => result.hook_name === uploadHookName || result.origin === 'browser');
  const outputs = outputsOfResults(
    run.context.collection.db,
    uploads.map((result) => result.id),
  );
  return Math.max(0, ...[...outputs.values()].flat().map((output) => output.created_at));
}
