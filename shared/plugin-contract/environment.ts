/** Names of the environment a hook sees (reference 6.2). */
export const hookEnvironment = {
  snapDir: 'SNAP_DIR',
  crawlDir: 'CRAWL_DIR',
  dataDir: 'DATA_DIR',
  personasDir: 'PERSONAS_DIR',
  activePersona: 'ACTIVE_PERSONA',
  extraContext: 'EXTRA_CONTEXT',
  timeout: 'TIMEOUT',
  userAgent: 'USER_AGENT',
  chromeCdpUrl: 'CHROME_CDP_URL',
  /** Ours: `browser` when the user's own copy of the page is there to work from. */
  snapshotSource: 'SNAPSHOT_SOURCE',
} as const;
