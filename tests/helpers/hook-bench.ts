import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createBrowserPool, type BrowserPool } from '../../companion/browser/browser-pool.ts';
import { findChromium } from '../../companion/browser/find-chromium.ts';
import { parseAllowList } from '../../companion/egress/allow-list.ts';
import { startEgressProxy, type EgressProxy, type RefusedAddress } from '../../companion/egress/egress-proxy.ts';
import type { ProcessResult } from '../../companion/process/process-result.ts';
import { startProcess, type ProcessOptions } from '../../companion/process/run-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface HookEnd {
  process: ProcessResult;
  /** The ArchiveResult record it printed last. */
  record: { status: string; output_str: string; output_json?: Record<string, unknown> } | undefined;
  /** Its folder of outputs. */
  folder: string;
}

export interface HookBench {
  snapDir: string;
  /** Writes a sibling's output. */
  give: (file: string, content: string | Buffer) => void;
  read: (file: string) => string;
  bytes: (file: string) => Buffer;
  has: (file: string) => boolean;
  run: (hook: string, url: string, env?: Record<string, string>) => Promise<HookEnd>;
  /** Starts a background hook and waits until it is ready; `end` asks it to finish. */
  start: (hook: string, url: string, env?: Record<string, string>) => Promise<{ end: () => Promise<HookEnd> }>;
}

const plugins = path.resolve('dist/plugins');

/** A snapshot's tree in which built hooks run as the programs they are. `hook` is `<plugin>/<file without .js>`. */
export function hookBench(common: Record<string, string> = {}): HookBench {
  const snapDir = temporaryFolder('holdfast-hooks');
  const begin = (hook: string, url: string, env: Record<string, string>) => {
    const [plugin = ''] = hook.split('/');
    const folder = path.join(snapDir, plugin);
    fs.mkdirSync(folder, { recursive: true });
    const lines: string[] = [];
    const options: ProcessOptions = {
      command: [path.join(plugins, `${hook}.js`), ...(url === '' ? [] : [`--url=${url}`])],
      env: { PATH: process.env.PATH ?? '', SNAP_DIR: snapDir, ...common, ...env },
      cwd: folder,
      timeoutMs: 60_000,
      onStdoutLine: (line) => lines.push(line),
    };
    const running = startProcess(options, new AbortController().signal);
    const ended = running.result.then((result): HookEnd => {
      const records = lines.filter((line) => line.startsWith('{"type":"ArchiveResult"'));
      return { process: result, record: records.length === 1 ? JSON.parse(records[0]!) : undefined, folder };
    });
    return { running, ended };
  };
  return {
    snapDir,
    give(file, content) {
      fs.mkdirSync(path.dirname(path.join(snapDir, file)), { recursive: true });
      fs.writeFileSync(path.join(snapDir, file), content);
    },
    read: (file) => fs.readFileSync(path.join(snapDir, file), 'utf8'),
    bytes: (file) => fs.readFileSync(path.join(snapDir, file)),
    has: (file) => fs.existsSync(path.join(snapDir, file)),
    run: (hook, url, env = {}) => begin(hook, url, env).ended,
    async start(hook, url, env = {}) {
      const { running, ended } = begin(hook, url, env);
      if (!(await running.ready)) throw new Error(`${hook} was never ready: ${(await ended).process.stderr}`);
      return {
        async end() {
          await running.end();
          return ended;
        },
      };
    },
  };
}

export interface BrowserBench {
  /** Environment of a hook that may use the network, through the proxy. */
  online: () => Promise<Record<string, string>>;
  /** Environment of a hook that works from the copy. */
  offline: () => Promise<Record<string, string>>;
  refused: RefusedAddress[];
  close: () => Promise<void>;
}

/** The companion's own browser behind its proxies, as the runner sets them up. `.localhost` is permitted. */
export async function browserBench(allow = '*.localhost'): Promise<BrowserBench> {
  const profiles = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-profiles-'));
  const refused: RefusedAddress[] = [];
  const onRefused = (one: RefusedAddress): void => void refused.push(one);
  const ways: { proxy: EgressProxy; pool: BrowserPool }[] = [];
  const open = async (isOffline: boolean) => {
    const proxy = await startEgressProxy({ allow: parseAllowList(allow), onRefused, isOffline });
    const pool = createBrowserPool({
      findProgram: () => findChromium(process.env),
      profileDir: (persona) => path.join(profiles, isOffline ? 'offline' : 'online', persona),
      proxyAddress: proxy.address,
      path: process.env.PATH ?? '',
      onNotice: () => undefined,
    });
    ways.push({ proxy, pool });
    return async () => ({
      ...proxy.environment(),
      CHROME_CDP_URL: (await pool.lend('Default')).cdpUrl,
      SNAPSHOT_SOURCE: isOffline ? 'browser' : 'companion',
    });
  };
  return {
    online: await open(false),
    offline: await open(true),
    refused,
    async close() {
      for (const { pool, proxy } of ways) {
        await pool.close();
        await proxy.close();
      }
      fs.rmSync(profiles, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Opens the page as the chrome plugin does; answers what ends the tab. */
export async function openPage(bench: HookBench, url: string, env: Record<string, string>) {
  const tab = await bench.start('chrome/on_Snapshot__01_chrome_tab.daemon.bg', url, env);
  const navigation = await bench.run('chrome/on_Snapshot__30_chrome_navigate', url, env);
  return { tab, navigation };
}
