import { hookEnvironment } from '../../shared/plugin-contract/environment.ts';
import type { HookConfig } from './hook-config.ts';
import type { Catalogue } from './plugin.ts';

export interface HookEnvironmentRequest {
  /** The plugin whose hook is started. */
  plugin: string;
  config: HookConfig;
  /** Tree of this run; the hook's folder is `<snapDir>/<plugin>/`. */
  snapDir: string;
  crawlDir: string;
  dataDir: string;
  personasDir: string;
  persona: string;
  /** Cached binaries of hooks. */
  libDir: string;
  /** Where foreign Node hooks find packages. */
  nodeModulesDir: string;
  /** HOME for tools that want one; never the user's own. */
  homeDir: string;
  /** PATH for the hook. */
  path: string;
  /** Reaches emitted records: the hook merges it into them. */
  extraContext: { snapshot_id?: string; snapshot_depth?: number };
  /** Tells derived hooks whether a user's own copy is there to work from. */
  source: 'browser' | 'companion' | 'import';
  /** Address of the lent Chromium. */
  cdpUrl?: string;
  /** Of the egress proxy that this hook may use; of the one that refuses everything for derived hooks. */
  proxyEnvironment: Readonly<Record<string, string>>;
}

/**
 * The whole environment of a hook (reference 6.2): every key of all plugins as text, the base keys, the proxy.
 * Sensitive keys reach only the plugin that declares them.
 */
export function buildHookEnvironment(catalogue: Catalogue, request: HookEnvironmentRequest): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [key, value] of Object.entries(request.config)) {
    if (mayKnow(catalogue, request.plugin, key)) environment[key] = toEnvironmentText(value);
  }
  return {
    ...environment,
    ...request.proxyEnvironment,
    [hookEnvironment.snapDir]: request.snapDir,
    [hookEnvironment.crawlDir]: request.crawlDir,
    [hookEnvironment.dataDir]: request.dataDir,
    [hookEnvironment.personasDir]: request.personasDir,
    [hookEnvironment.activePersona]: request.persona,
    [hookEnvironment.extraContext]: JSON.stringify(request.extraContext),
    ...(request.cdpUrl === undefined ? {} : { [hookEnvironment.chromeCdpUrl]: request.cdpUrl }),
    [hookEnvironment.snapshotSource]: request.source,
    PATH: request.path,
    ABXPKG_LIB_DIR: request.libDir,
    NODE_PATH: request.nodeModulesDir,
    NODE_MODULES_DIR: request.nodeModulesDir,
    ABX_RUNTIME: 'archivebox',
    ABX_INSTALL_CACHE: '{}',
    HOME: request.homeDir,
    TMPDIR: request.snapDir,
    LANG: 'C.UTF-8',
  };
}

const sensitiveName = /TOKEN|SECRET|API_?KEY|PASSWORD/;

function mayKnow(catalogue: Catalogue, pluginName: string, key: string): boolean {
  const declaring = [...catalogue.plugins.values()].filter(({ manifest }) => key in manifest.properties);
  const isSensitive =
    sensitiveName.test(key) || declaring.some(({ manifest }) => manifest.properties[key]?.['x-sensitive'] === true);
  return !isSensitive || declaring.some(({ name }) => name === pluginName);
}

/** As the reference's hooks read them: `True` and `False`, lists and objects as JSON. */
function toEnvironmentText(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  return value === null || value === undefined ? '' : String(value);
}
