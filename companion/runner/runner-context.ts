import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AddressVerdict } from '../../shared/url/address-verdict.ts';
import type { Collection } from '../collection/open-collection.ts';
import { checkOwnAddress } from '../config/own-address.ts';
import type { LoadedSettings, Settings } from '../config/settings.ts';
import { parseAllowList } from '../egress/allow-list.ts';
import { checkAddress } from '../egress/check-address.ts';
import type { Logger } from '../log/logger.ts';
import { loadCatalogue } from '../plugin-registry/load-catalogue.ts';
import type { Catalogue } from '../plugin-registry/plugin.ts';
import { createHookServices } from './create-hook-services.ts';
import type { HookServices } from './hook-services.ts';
import { HookSkips } from './hook-skips.ts';

/** Tells whoever started the runner what happens: one claim and one end per snapshot. */
export interface RunnerEvent {
  kind: 'STARTED' | 'SEALED' | 'PAUSED' | 'STOPPED';
  crawlId: string;
  snapshotId: string;
  url: string;
}

/** The parts a runner stands on. */
export interface RunnerContext {
  collection: Collection;
  catalogue: Catalogue;
  /** Settings file and environment, the weakest layer of hook configuration after the manifests' defaults. */
  settings: Readonly<Record<string, unknown>>;
  services: HookServices;
  skips: HookSkips;
  log: Logger;
  /** Checks submitted and found addresses: own and private ones are refused with a reason. */
  checkAddress(url: string): AddressVerdict;
  onEvent(event: RunnerEvent): void;
}

export interface RunnerContextOptions {
  collection: Collection;
  loaded: LoadedSettings;
  log: Logger;
  onEvent?: (event: RunnerEvent) => void;
  /** Facts a person should hear; they go to the log when left out. */
  onNotice?: (sentence: string) => void;
  /** Instead of the built-in plugins and those of the data folder. */
  pluginFolders?: readonly string[];
  services?: HookServices;
  /** Of whoever may end running steps from outside. */
  skips?: HookSkips | undefined;
}

/** Builds what a runner stands on. Close `services` when the runner is done. */
export async function createRunnerContext(options: RunnerContextOptions): Promise<RunnerContext> {
  const { collection, loaded, log } = options;
  const { settings, raw } = loaded;
  const catalogue = await loadPlugins(collection, options.pluginFolders);
  for (const problem of catalogue.problems) log.warn(problem, 'a plugin cannot be used');
  const ownPorts = createOwnPorts(collection, settings.HOLDFAST_PORT);
  const services =
    options.services ??
    createHookServices({
      collection,
      log,
      egressAllow: settings.EGRESS_ALLOW,
      settings: raw,
      ownPorts,
      onNotice: options.onNotice ?? ((sentence) => log.warn(sentence)),
    });
  return {
    collection,
    catalogue,
    settings: raw,
    services,
    skips: options.skips ?? new HookSkips(),
    log,
    checkAddress: createAddressCheck(collection, settings),
    onEvent: options.onEvent ?? (() => undefined),
  };
}

/** The plugins of this collection: the built-in ones and those of its data folder, which replace them by name. */
export function loadPlugins(collection: Collection, folders?: readonly string[]): Promise<Catalogue> {
  return loadCatalogue(folders ?? [builtInPlugins(), collection.layout.plugins()]);
}

/** The check of every address before the companion fetches it: not the companion itself, not a private place. */
export function createAddressCheck(
  collection: Collection,
  settings: Pick<Settings, 'EGRESS_ALLOW' | 'HOLDFAST_PORT'>,
): (url: string) => AddressVerdict {
  const allow = parseAllowList(settings.EGRESS_ALLOW);
  const ownPorts = createOwnPorts(collection, settings.HOLDFAST_PORT);
  return (url) => {
    const own = checkOwnAddress(url, ownPorts());
    return own.ok ? checkAddress(url, allow) : own;
  };
}

/** Built plugins lie beside the built companion; from the sources they are found below `dist/`. */
function builtInPlugins(): string {
  const here = path.dirname(fileURLToPath(import.meta.url));
  const beside = path.resolve(here, '..', 'plugins');
  return path.basename(here) === 'companion' && existsSync(beside)
    ? beside
    : path.resolve(here, '..', '..', 'dist', 'plugins');
}

const portsFreshMs = 1_000;

/** Ports of this collection's server: the configured one, and those it says it listens on in the run folder. */
function createOwnPorts(collection: Collection, configuredPort: number): () => readonly number[] {
  let ports: number[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() - readAt > portsFreshMs) {
      readAt = performance.now();
      ports = [configuredPort, ...portsOfServer(path.join(collection.layout.runtime(), 'server.json'))];
    }
    return ports;
  };
}

function portsOfServer(file: string): number[] {
  if (!existsSync(file)) return [];
  try {
    const facts = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    return [facts['port'], facts['fallback_port']].filter((port): port is number => typeof port === 'number');
  } catch {
    return []; // Being replaced at this moment, or cut off by a crash: nobody is known to listen.
  }
}
