import { createRequire } from 'node:module';
import path from 'node:path';
import { createBrowserPool, type BrowserPool } from '../browser/browser-pool.ts';
import { findChromium } from '../browser/find-chromium.ts';
import type { Collection } from '../collection/open-collection.ts';
import { parseAllowList } from '../egress/allow-list.ts';
import { startEgressProxy, type EgressProxy } from '../egress/egress-proxy.ts';
import type { Logger } from '../log/logger.ts';
import type { HookServices } from './hook-services.ts';

export interface HookServicesOptions {
  collection: Collection;
  log: Logger;
  /** Private places hooks may reach (`EGRESS_ALLOW`). */
  egressAllow: string;
  /** Settings and environment, for the browser's name. */
  settings: Readonly<Record<string, unknown>>;
  /** Ports of the companion itself, never fetched. */
  ownPorts: () => readonly number[];
  /** Facts a person should hear, such as a browser without its sandbox. */
  onNotice: (sentence: string) => void;
}

interface WayOut {
  proxy: EgressProxy;
  pool: BrowserPool;
}

/**
 * The two ways out of a hook: through the egress proxy, or through the one that refuses everything. Each has a headless
 * Chromium of its own, so that a page drawn from a copy cannot borrow a connection. Nothing is started before a hook
 * asks for it.
 */
export function createHookServices(options: HookServicesOptions): HookServices {
  const ways = new Map<boolean, Promise<WayOut>>();
  const wayOut = (network: boolean): Promise<WayOut> => {
    let way = ways.get(network);
    if (!way) {
      way = openWay(options, network);
      ways.set(network, way);
    }
    return way;
  };
  return {
    proxyEnvironment: async (network) => (await wayOut(network)).proxy.environment(),
    lendBrowser: async ({ persona, network }) => (await wayOut(network)).pool.lend(persona),
    nodeModulesDir: path.dirname(path.dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json'))),
    async close() {
      for (const way of ways.values()) {
        const { pool, proxy } = await way;
        await pool.close();
        await proxy.close();
      }
    },
  };
}

async function openWay(options: HookServicesOptions, network: boolean): Promise<WayOut> {
  const { collection, log } = options;
  const browsers: { pool?: BrowserPool } = {};
  const proxy = await startEgressProxy({
    allow: parseAllowList(options.egressAllow),
    isOffline: !network,
    ownPorts: () => [...options.ownPorts(), ...(browsers.pool?.controlPorts() ?? [])],
    onRefused: (refused) => log.info({ refused }, 'a hook asked for an address that is not fetched'),
  });
  const pool = createBrowserPool({
    findProgram: () => findChromium(browserNames(options.settings)),
    profileDir: (persona) =>
      path.join(collection.layout.personas(), persona, network ? 'chrome_profile' : 'offline_profile'),
    proxyAddress: proxy.address,
    path: process.env['PATH'] ?? '',
    onNotice: options.onNotice,
  });
  browsers.pool = pool;
  return { proxy, pool };
}

function browserNames(settings: Readonly<Record<string, unknown>>): Record<string, string | undefined> {
  const names = ['HOLDFAST_CHROMIUM', 'CHROME_BINARY'].map((key) => [key, settings[key]] as const);
  return {
    PATH: process.env['PATH'],
    ...Object.fromEntries(names.filter(([, value]) => typeof value === 'string')),
  } as Record<string, string | undefined>;
}
