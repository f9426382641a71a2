import { access, constants, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { parseHookFileName } from '../../shared/plugin-contract/hook-names.ts';
import { pluginManifestSchema } from '../../shared/plugin-contract/manifest.ts';
import { hookCommand } from './hook-command.ts';
import { type Catalogue, compareHooks, type Hook, type Plugin, type PluginProblem } from './plugin.ts';
import { findRequirementCycles } from './requirements.ts';

const pluginNamePattern = /^[a-z0-9][a-z0-9_-]*$/i;

/**
 * Reads every plugin below the given folders. A later folder's plugin replaces an earlier one of the same name. What
 * is broken is listed in `problems` and left out. A folder that does not exist holds no plugins.
 */
export async function loadCatalogue(folders: readonly string[]): Promise<Catalogue> {
  const plugins = new Map<string, Plugin>();
  const problems: PluginProblem[] = [];
  for (const folder of folders) {
    for (const name of await pluginFolderNames(folder)) {
      const path = join(folder, name);
      try {
        const plugin = await loadPlugin(name, path, problems);
        plugins.set(name, { ...plugin, replaces: plugins.get(name)?.folder ?? null });
      } catch (error) {
        problems.push({ file: join(path, 'config.json'), reason: explainManifestError(error) });
      }
    }
  }
  for (const { name, cycle } of findRequirementCycles(plugins)) {
    const file = join(plugins.get(name)?.folder ?? name, 'config.json');
    problems.push({ file, reason: `its required plugins form a circle: ${cycle.join(' needs ')}` });
    plugins.delete(name);
  }
  return { plugins: new Map([...plugins].sort(([left], [right]) => (left < right ? -1 : 1))), problems };
}

async function pluginFolderNames(folder: string): Promise<string[]> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const names = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map((entry) => entry.name);
  const found = await Promise.all(
    names
      .filter((name) => pluginNamePattern.test(name))
      .map(async (name) => ((await isReadable(join(folder, name, 'config.json'))) ? name : undefined)),
  );
  return found.filter((name) => name !== undefined).sort();
}

async function isReadable(path: string, mode = constants.R_OK): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false; // A folder without a manifest is no plugin; a file without the bit is no executable.
  }
}

async function loadPlugin(name: string, folder: string, problems: PluginProblem[]): Promise<Omit<Plugin, 'replaces'>> {
  const manifest = pluginManifestSchema.parse(JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')));
  const hooks: Hook[] = [];
  for (const fileName of (await readdir(folder)).sort()) {
    const parsed = parseHookFileName(fileName);
    if (!parsed) continue;
    const file = join(folder, fileName);
    if (!(await isReadable(file, constants.X_OK))) {
      problems.push({ file, reason: 'it is not executable; chmod +x makes it a hook' });
      continue;
    }
    hooks.push({ plugin: name, ...parsed, file, command: await hookCommand(file) });
  }
  return { name, folder, manifest, aliases: manifest['x-aliases'], hooks: hooks.sort(compareHooks) };
}

function explainManifestError(error: unknown): string {
  if (error instanceof SyntaxError) return `it is no JSON: ${error.message}`;
  if (error instanceof z.ZodError) {
    return error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`).join('; ');
  }
  return error instanceof Error ? error.message : String(error);
}
