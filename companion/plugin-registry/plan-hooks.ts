import type { SnapshotSource } from '../../shared/model/states.ts';
import { choosePlugins, findPlugin, type PluginChoice, switchedOff } from './choose-plugins.ts';
import type { HookConfig } from './hook-config.ts';
import { type Catalogue, compareHooks, enabledKey, type Hook, type Plugin } from './plugin.ts';
import { withRequirements } from './requirements.ts';

export interface PlanRequest {
  event: 'Snapshot' | 'CrawlSetup';
  source: SnapshotSource;
  /** False for the browser's own pages and local files: nothing may ever go and fetch those. */
  onWeb: boolean;
  /** The user wants the page fetched although it came from the browser (`config.FETCH`). */
  fetch: boolean;
  /**
   * Plugins a person asked to run on this snapshot (`extract --plugins`, `RETRY_PLUGINS`); unknown names throw
   * `invalid_plugin`.
   */
  requested?: readonly string[];
  /** Plugins in whose folder the browser's captures lie: `singlefile`, `chrome_mhtml`, `screenshot`. */
  delivered?: readonly string[];
  config: HookConfig;
}

export type PlannedHook = Hook &
  (
    | {
        action: 'run';
        /** False: it gets the proxy that refuses everything, and its outputs are `derived`, else `fetched`. */
        network: boolean;
      }
    | { action: 'skip'; reason: string }
  );

/**
 * The ordered hooks of one snapshot, computed before anything runs, so that it can be printed (DESIGN section 6).
 * Plugins that are off by default and that nobody named do not appear.
 */
export function planHooks(catalogue: Catalogue, request: PlanRequest): PlannedHook[] {
  const choice = choosePlugins(catalogue, request.config, request.requested);
  const planned: PlannedHook[] = [];
  for (const plugin of catalogue.plugins.values()) {
    if (!choice.names.has(plugin.name) || isSilentlyOff(plugin, request.config, choice)) continue;
    const decision = decide(catalogue, plugin, request, choice);
    const isOnlyNeeded = choice.named.size > 0 && !choice.named.has(plugin.name);
    if (isOnlyNeeded && decision === wouldUseNetwork) continue; // What needs it works from the copy.
    for (const hook of plugin.hooks) {
      if (hook.event === request.event) planned.push({ ...hook, ...decision });
    }
  }
  return planned.sort(compareHooks);
}

type Decision = { action: 'run'; network: boolean } | { action: 'skip'; reason: string };

const wouldUseNetwork: Decision = { action: 'skip', reason: 'would use the network' };

function isSilentlyOff(plugin: Plugin, config: HookConfig, choice: PluginChoice): boolean {
  const key = enabledKey(plugin);
  const isOffByDefault = key !== undefined && plugin.manifest.properties[key]?.default === false;
  return isOffByDefault && switchedOff(plugin, config) !== undefined && !choice.named.has(plugin.name);
}

function decide(catalogue: Catalogue, plugin: Plugin, request: PlanRequest, choice: PluginChoice): Decision {
  const off = switchedOff(plugin, request.config);
  if (off) return { action: 'skip', reason: off };
  const isAsked = choice.asked.has(plugin.name);
  if (request.source === 'browser') {
    if (!isAsked && request.delivered?.includes(plugin.name)) {
      return { action: 'skip', reason: 'delivered by your browser' };
    }
    const isOffline = plugin.manifest['x-derives'] && !request.fetch;
    if (isOffline) return { action: 'run', network: false };
    if (!request.fetch && !isAsked && !isNeededByAsked(catalogue, plugin, choice)) {
      return wouldUseNetwork;
    }
  }
  if (!request.onWeb) return { action: 'skip', reason: 'only your browser can see this page' };
  const obstacle = findObstacle(catalogue, plugin, request.config);
  return obstacle ? { action: 'skip', reason: obstacle } : { action: 'run', network: true };
}

/** A plugin asked for by name may use the network, and so may what it needs; one that works from the copy needs none. */
function isNeededByAsked(catalogue: Catalogue, plugin: Plugin, choice: PluginChoice): boolean {
  return [...choice.asked].some(
    (name) =>
      catalogue.plugins.get(name)?.manifest['x-derives'] === false &&
      withRequirements(catalogue.plugins, name).includes(plugin.name),
  );
}

/** A requirement never switches a plugin on that the user switched off. */
function findObstacle(catalogue: Catalogue, plugin: Plugin, config: HookConfig): string | undefined {
  for (const name of withRequirements(catalogue.plugins, plugin.name)) {
    if (name === plugin.name) continue;
    const required = findPlugin(catalogue, name);
    if (!required) return `needs the plugin ${name}, which is not there`;
    const off = switchedOff(required, config);
    if (off) return `needs the plugin ${name}, which is switched off (${off})`;
  }
  return undefined;
}
