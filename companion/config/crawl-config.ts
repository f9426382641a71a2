import type { Settings } from './settings.ts';

/** Keys of the companion's settings that are frozen into a crawl when it is made (reference 11, `crawl_frozen`). */
const frozenKeys = [
  'ONLY_NEW',
  'URL_ALLOWLIST',
  'URL_DENYLIST',
  'CRAWL_MAX_URLS',
  'CRAWL_MAX_SIZE',
  'CRAWL_TIMEOUT',
  'SNAPSHOT_MAX_SIZE',
] as const satisfies readonly (keyof Settings)[];

export type CrawlChoices = { [Key in (typeof frozenKeys)[number]]?: Settings[Key] | undefined };

/** What a new crawl keeps of the settings of this moment, overridden by what was chosen for it; unset keys stay out. */
export function frozenCrawlConfig(settings: Settings, choices: CrawlChoices): Record<string, unknown> {
  const pairs = frozenKeys.map((key) => [key, choices[key] ?? settings[key]] as const);
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}
