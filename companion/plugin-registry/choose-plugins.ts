import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { HookConfig } from './hook-config.ts';
import { type Catalogue, enabledKey, type Plugin } from './plugin.ts';
import { withRequirements } from './requirements.ts';

/** Finds a plugin by its exact name or one of its aliases. */
export function findPlugin(catalogue: Catalogue, name: string): Plugin | undefined {
  return catalogue.plugins.get(name) ?? [...catalogue.plugins.values()].find(({ aliases }) => aliases.includes(name));
}

/** The plugins of these names, or `invalid_plugin` naming those that are unknown and those that exist. */
export function requirePlugins(catalogue: Catalogue, names: readonly string[]): Plugin[] {
  const unknown = names.filter((name) => !findPlugin(catalogue, name));
  if (unknown.length > 0) {
    const known = [...catalogue.plugins.keys()];
    const subject =
      unknown.length === 1 ? `There is no plugin ${unknown[0]}` : `There are no plugins ${unknown.join(', ')}`;
    throw new HoldfastError('invalid_plugin', `${subject}; choose from ${known.join(', ')}.`, {
      details: { unknown, known },
    });
  }
  return names.map((name) => findPlugin(catalogue, name)).filter((plugin) => plugin !== undefined);
}

export interface PluginChoice {
  /** Chosen plugins and everything they need. */
  names: ReadonlySet<string>;
  /** Those that a request or the crawl's list names, without what they need; empty when all take part. */
  named: ReadonlySet<string>;
  /** Those a request asks for by name: the crawl's list chooses, but is no wish to fetch what a browser delivered. */
  asked: ReadonlySet<string>;
}

/**
 * Which plugins take part: an explicit list, else the crawl's frozen `PLUGINS` (exactly these and what they need),
 * else all. Whether one is switched off is not decided here.
 */
export function choosePlugins(
  catalogue: Catalogue,
  config: HookConfig,
  requested: readonly string[] | undefined,
): PluginChoice {
  const listed = requested ?? frozenPlugins(config);
  const named = listed.length > 0 ? requirePlugins(catalogue, listed).map(({ name }) => name) : [];
  const start = named.length > 0 ? named : [...catalogue.plugins.keys()];
  return {
    names: new Set(start.flatMap((name) => withRequirements(catalogue.plugins, name))),
    named: new Set(named),
    asked: new Set(requested === undefined ? [] : named),
  };
}

function frozenPlugins(config: HookConfig): string[] {
  const value = config['PLUGINS'];
  const words = Array.isArray(value) ? value.map(String) : String(value ?? '').split(',');
  return words.map((word) => word.trim()).filter((word) => word !== '');
}

/** `<KEY>=False` when the plugin is switched off, else undefined. */
export function switchedOff(plugin: Plugin, config: HookConfig): string | undefined {
  const key = enabledKey(plugin);
  return key !== undefined && config[key] === false ? `${key}=False` : undefined;
}
