import path from 'node:path';
import { probeAddress, uiOrigins } from '../shared/protocol/hosts.ts';
import type { AddressVerdict } from '../shared/url/address-verdict.ts';
import { Access } from './auth/access.ts';
import { openCollection, type Collection } from './collection/open-collection.ts';
import { checkOwnAddress } from './config/own-address.ts';
import { loadSettings, type Settings } from './config/settings.ts';
import { parseAllowList, type AllowList } from './egress/allow-list.ts';
import { checkAddress } from './egress/check-address.ts';
import { createApp } from './http/app.ts';
import { listenOnFreePort, listenOnLoopback } from './http/listen.ts';
import { createLogger, type Logger } from './log/logger.ts';
import { createReplay } from './replay/replay.ts';
import { superviseRunner } from './runner/supervise-runner.ts';
import { createSearch } from './search/search.ts';
import { announceServer, claimServer } from './server-file.ts';
import { createUploads } from './uploads/uploads.ts';
import { createWebShell, type WebShell } from './web/serve.ts';

export interface ServerOptions {
  dataDir: string;
  /** Overrides the setting; 0 takes a free port. */
  port?: number | undefined;
  /** False leaves the runner to another process. */
  runner?: boolean;
  logLevel?: string | undefined;
}

export interface RunningServer {
  port: number;
  /** Where the library lives, such as `http://holdfast.localhost:8745`. */
  address: string;
  loginLink: string;
  pairingCode: string;
  dataDir: string;
  /** Sentences a person should read. */
  notes: string[];
  /** Stops everything in order and resolves when it is gone. */
  stop(): Promise<void>;
}

/** Composition root of the server process: builds everything, starts it, and stops it in the opposite order. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { settings } = loadSettings(path.join(options.dataDir, 'holdfast.toml'), {
    HOLDFAST_PORT: options.port,
    LOG_LEVEL: options.logLevel,
  });
  const log = createLogger(settings.LOG_LEVEL, 'holdfast-server');
  const collection = await openCollection(options.dataDir, { onWaiting: (sentence) => log.warn(sentence) });
  const stops: (() => Promise<void> | void)[] = [() => collection.close()];
  const stop = async (): Promise<void> => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    return await startParts(options, collection, settings, log, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  options: ServerOptions,
  collection: Collection,
  settings: Settings,
  log: Logger,
  stops: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<RunningServer> {
  stops.push(await claimServer(collection));
  const ports = { main: 0, fallback: 0 };
  const access = new Access(collection);
  const uploads = await createUploads({ collection, log });
  stops.push(() => uploads.close());
  const search = createSearch({ collection, log });
  stops.push(() => search.close());
  const replay = createReplay({
    collection,
    log,
    port: () => ports.main,
    fallbackPort: () => ports.fallback || undefined,
  });
  stops.push(() => replay.close());
  const ownPorts = () => [ports.main, ports.fallback];
  const allow = parseAllowList(settings.EGRESS_ALLOW);
  const app = createApp({
    collection,
    access,
    uploads,
    search,
    replay,
    web: createShell(ports),
    settings,
    log,
    port: () => ports.main,
    checkAddress: (url) => addressVerdict(url, ownPorts(), allow),
    checkOwnAddress: (url) => checkOwnAddress(url, ownPorts()),
  });
  const main = await listenOnLoopback(app, settings.HOLDFAST_PORT);
  stops.push(() => main.close());
  ports.main = main.port;
  const fallback = await listenOnFreePort((request) => replay.handleFallback(request));
  stops.push(() => fallback.close());
  ports.fallback = fallback.port;
  announceServer(collection, ports);
  if (options.runner !== false) {
    const runner = superviseRunner({ collection, log });
    stops.push(() => runner.stop());
  }
  const address = uiOrigins(main.port)[0]!;
  return {
    port: main.port,
    address,
    loginLink: `${address}/login#${await access.newLoginCode()}`,
    pairingCode: await access.newPairingCode(),
    dataDir: collection.root,
    notes: main.notes,
    stop,
  };
}

/** Made at the first request: only then are the ports known that kept pages may be framed from. */
function createShell(ports: { main: number; fallback: number }): WebShell {
  let shell: WebShell | undefined;
  const folder = path.join(import.meta.dirname, '..', 'web');
  const create = () =>
    createWebShell({
      folder,
      frameSources: [`http://*.localhost:${ports.main}`, `http://127.0.0.1:${ports.fallback}`],
      probe: probeAddress(ports.main),
    });
  return { serve: (pathname, scriptsLabel) => (shell ??= create()).serve(pathname, scriptsLabel) };
}

function addressVerdict(url: string, ownPorts: readonly number[], allow: AllowList): AddressVerdict {
  const own = checkOwnAddress(url, ownPorts);
  return own.ok ? checkAddress(url, allow) : own;
}
