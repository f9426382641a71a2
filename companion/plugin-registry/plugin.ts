import type { PluginManifest } from '../../shared/plugin-contract/manifest.ts';

/** One executable of a plugin. Its identity in results is (snapshot, plugin, hookName). */
export interface Hook {
  plugin: string;
  hookName: string;
  event: string;
  order: number;
  background: boolean;
  /** Absolute path of the executable. */
  file: string;
  /** Program and first arguments that start it; `--url=<url>` follows (reference 6.2). */
  command: readonly [string, ...string[]];
}

export interface Plugin {
  name: string;
  folder: string;
  manifest: PluginManifest;
  /** Other exact names it answers to, such as `yt-dlp`. */
  aliases: readonly string[];
  hooks: readonly Hook[];
  /** Folder of the plugin of the same name that this one took the place of. */
  replaces: string | null;
}

/** What was found but cannot be used; it never stops the others. */
export interface PluginProblem {
  file: string;
  reason: string;
}

export interface Catalogue {
  /** By name, in order of name. */
  plugins: ReadonlyMap<string, Plugin>;
  problems: readonly PluginProblem[];
}

/** The key that switches a plugin off, or undefined where its manifest declares none and it is always on. */
export function enabledKey(plugin: Plugin): string | undefined {
  const key = `${plugin.name.toUpperCase().replaceAll('-', '_')}_ENABLED`;
  return key in plugin.manifest.properties ? key : undefined;
}

/** Hooks run in this order, over all plugins. */
export function compareHooks(left: Hook, right: Hook): number {
  return (
    left.order - right.order || compareText(left.hookName, right.hookName) || compareText(left.plugin, right.plugin)
  );
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
