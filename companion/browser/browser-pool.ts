import { limits } from '../../shared/limits.ts';
import { type Chromium, launchChromium } from './launch-chromium.ts';

export interface LentBrowser {
  /** For `CHROME_CDP_URL`. */
  cdpUrl: string;
  /** Gives it back; the last one back starts the clock after which it is closed. Calling it again does nothing. */
  release(): void;
}

export interface BrowserPoolOptions {
  /** Answers the program to start, for example `findChromium(process.env)`. */
  findProgram: () => string;
  /** Folder of a persona's profile. */
  profileDir: (persona: string) => string;
  proxyAddress: string;
  path: string;
  windowSize?: readonly [number, number];
  idleMs?: number;
  /** Facts the user should hear: no sandbox as root, a browser left by an earlier life was ended. */
  onNotice: (sentence: string) => void;
}

export interface BrowserPool {
  /** Lends the persona's browser, starting it when needed. Rejects like `launchChromium` and `findProgram`. */
  lend(persona: string): Promise<LentBrowser>;
  /** Ports by which our browsers are controlled: no page may reach them. */
  controlPorts(): number[];
  close(): Promise<void>;
}

interface Entry {
  chromium: Promise<Chromium>;
  controlPort?: number;
  users: number;
  idleTimer?: NodeJS.Timeout;
}

/** One headless Chromium per persona, shared by all runs and closed when nobody has used it for a while. */
export function createBrowserPool(options: BrowserPoolOptions): BrowserPool {
  const entries = new Map<string, Entry>();
  const retiring = new Map<string, Promise<void>>();
  const closing = new AbortController();
  const launch = createLauncher(options, closing.signal);

  const start = (persona: string): Entry => {
    const launched = (retiring.get(persona) ?? Promise.resolve()).then(() => launch(persona));
    const entry: Entry = { chromium: launched, users: 0 };
    entries.set(persona, entry);
    const forget = (): void => {
      if (entries.get(persona) === entry) entries.delete(persona);
    };
    launched.then(
      (chromium) => {
        entry.controlPort = chromium.controlPort;
        void chromium.gone.then(forget);
      },
      forget, // Whoever asked for it is told; the next one tries again.
    );
    return entry;
  };

  const giveBack = (persona: string, entry: Entry): void => {
    entry.users -= 1;
    if (entry.users > 0) return;
    entry.idleTimer = setTimeout(() => {
      if (entries.get(persona) === entry) entries.delete(persona);
      retiring.set(
        persona,
        entry.chromium.then((chromium) => chromium.close()),
      );
    }, options.idleMs ?? limits.browserIdleMs);
    entry.idleTimer.unref();
  };

  return {
    async lend(persona) {
      closing.signal.throwIfAborted();
      const entry = entries.get(persona) ?? start(persona);
      clearTimeout(entry.idleTimer);
      entry.users += 1;
      const { cdpUrl } = await entry.chromium;
      let isReleased = false;
      return {
        cdpUrl,
        release() {
          if (!isReleased) giveBack(persona, entry);
          isReleased = true;
        },
      };
    },
    controlPorts: () => [...entries.values()].flatMap(({ controlPort }) => controlPort ?? []),
    async close() {
      const open = [...entries.values()];
      for (const { idleTimer } of open) clearTimeout(idleTimer);
      closing.abort();
      await Promise.allSettled([...retiring.values(), ...open.map(async ({ chromium }) => (await chromium).gone)]);
    },
  };
}

function createLauncher(options: BrowserPoolOptions, signal: AbortSignal): (persona: string) => Promise<Chromium> {
  const isRoot = process.getuid?.() === 0;
  let saidRoot = false;
  return async (persona) => {
    if (isRoot && !saidRoot) options.onNotice('Chromium runs without its sandbox because Holdfast runs as root.');
    saidRoot = true;
    return launchChromium(
      {
        program: options.findProgram(),
        path: options.path,
        profileDir: options.profileDir(persona),
        proxyAddress: options.proxyAddress,
        isRoot,
        windowSize: options.windowSize ?? [1440, 2000],
        onEarlierEnded: () => options.onNotice(`A Chromium left by an earlier run of persona ${persona} was ended.`),
      },
      signal,
    );
  };
}
