import type { Plugin } from './plugin.ts';

/**
 * Names of all plugins a plugin needs, itself last, each after what it needs. Unknown names are kept: whoever plans
 * says so. The catalogue holds no circles.
 */
export function withRequirements(plugins: ReadonlyMap<string, Plugin>, name: string): string[] {
  const ordered = new Set<string>();
  const visit = (current: string): void => {
    for (const required of plugins.get(current)?.manifest.required_plugins ?? []) visit(required);
    ordered.add(current);
  };
  visit(name);
  return [...ordered];
}

/** Every plugin that needs itself through others, with the way round: `a needs b needs a`. */
export function findRequirementCycles(plugins: ReadonlyMap<string, Plugin>): { name: string; cycle: string[] }[] {
  const cycles: { name: string; cycle: string[] }[] = [];
  for (const name of plugins.keys()) {
    const cycle = pathBackTo(plugins, name);
    if (cycle) cycles.push({ name, cycle });
  }
  // A plugin that needs one in a circle cannot run either, and following it would never end.
  const inCircle = new Set(cycles.map(({ name }) => name));
  for (const name of plugins.keys()) {
    if (inCircle.has(name)) continue;
    const path = pathTo(plugins, name, (candidate) => inCircle.has(candidate));
    if (path) cycles.push({ name, cycle: path });
  }
  return cycles;
}

function pathBackTo(plugins: ReadonlyMap<string, Plugin>, start: string): string[] | undefined {
  return pathTo(plugins, start, (candidate) => candidate === start);
}

/** Shortest way over requirements from `start` to a plugin that fits, both ends included. */
function pathTo(
  plugins: ReadonlyMap<string, Plugin>,
  start: string,
  fits: (name: string) => boolean,
): string[] | undefined {
  const seen = new Set<string>();
  const paths = [[start]];
  for (let path = paths.shift(); path; path = paths.shift()) {
    for (const required of plugins.get(path.at(-1) ?? '')?.manifest.required_plugins ?? []) {
      if (fits(required)) return [...path, required];
      if (!seen.has(required)) paths.push([...path, required]);
      seen.add(required);
    }
  }
  return undefined;
}
