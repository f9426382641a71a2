import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { layerRules } from './layer-rules.ts';

export interface Violation {
  rule: string;
  from: string;
  to: string;
}

export interface CruiseReport {
  /** Modules of this repository that were read, as paths below the root. */
  modules: string[];
  violations: Violation[];
}

interface CruiserOutput {
  modules: { source: string; coreModule?: boolean; couldNotResolve?: boolean }[];
  summary: { violations: { rule: { name: string }; from: string; to: string }[] };
}

export const cruisedFolders = ['shared', 'extension', 'companion', 'plugins', 'tests'];
const cruiser = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');

/** Checks the layers of the tree at `root` in a process of its own, because the cruiser works in its current folder. */
export async function cruiseTree(root: string): Promise<CruiseReport> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-layers-'));
  try {
    const config = join(folder, 'rules.json');
    await writeFile(config, JSON.stringify({ forbidden: layerRules, options: cruiserOptions }));
    const args = [cruiser, '--config', config, '--output-type', 'json', ...cruisedFolders];
    // Exit code: the number of violations, so only the output says whether it ran.
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      cwd: root,
      maxBuffer: 256 * 1024 * 1024,
    }).catch((error: { stdout?: string }) => {
      if (!error.stdout?.startsWith('{')) throw error;
      return { stdout: error.stdout };
    });
    return toReport(JSON.parse(stdout) as CruiserOutput);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const cruiserOptions = {
  tsConfig: { fileName: 'tsconfig.json' },
  // Imports of types count: they are edges of the design.
  tsPreCompilationDeps: true,
  doNotFollow: { path: 'node_modules' },
  exclude: { path: '^(tests/fixtures|dist)/' },
  enhancedResolveOptions: {
    // Some packages hold types alone.
    mainFields: ['module', 'main', 'types'],
    exportsFields: ['exports'],
    conditionNames: ['import', 'require', 'node', 'default', 'types'],
  },
};

function toReport({ modules, summary }: CruiserOutput): CruiseReport {
  return {
    modules: modules
      .map(({ source }) => source)
      .filter((source) => cruisedFolders.some((folder) => source.startsWith(`${folder}/`))),
    violations: summary.violations.map(({ rule, from, to }) => ({ rule: rule.name, from, to })),
  };
}
