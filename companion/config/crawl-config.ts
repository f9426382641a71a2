import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { readPatterns } from '../../shared/url/address-patterns.ts';
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

/**
 * What a new crawl keeps of the settings of this moment, overridden by what was chosen for it; unset keys stay out.
 * Throws `bad_request` for a pattern that cannot be read: it would let through, or keep out, nothing.
 */
export function frozenCrawlConfig(settings: Settings, choices: CrawlChoices): Record<string, unknown> {
  const pairs = frozenKeys.map((key) => [key, choices[key] ?? settings[key]] as const);
  for (const [key, value] of pairs) {
    const [wrong] = key === 'URL_ALLOWLIST' || key === 'URL_DENYLIST' ? readPatterns(value).unreadable : [];
    if (wrong === undefined) continue;
    const sentence = `${key} holds ${JSON.stringify(wrong)}, which is neither a domain nor a regular expression.`;
    throw new HoldfastError('bad_request', sentence);
  }
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
}
