/** A Chromium for one run. */
export interface LentBrowser {
  /** Goes to hooks as `CHROME_CDP_URL`. */
  cdpUrl: string;
  release(): void;
}

/** What hooks get from outside the collection; tests give plainer ones. */
export interface HookServices {
  /** Variables that send a hook's traffic through the egress proxy, or through the one that refuses everything. */
  proxyEnvironment(network: boolean): Promise<Readonly<Record<string, string>>>;
  /** Rejects with a sentence when there is no browser. */
  lendBrowser(request: { persona: string; network: boolean }): Promise<LentBrowser>;
  /** Where foreign Node hooks find packages. */
  nodeModulesDir: string;
  close(): Promise<void>;
}
