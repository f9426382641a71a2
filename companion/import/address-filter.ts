import { readPatterns } from '../../shared/url/address-patterns.ts';
import type { AddressVerdict } from '../../shared/url/address-verdict.ts';

/**
 * Files that are parts of pages, not pages: links to them are not followed unless a list of the crawl says otherwise
 * (reference 7.3). An address that somebody submits is never refused for its ending.
 */
const pagePartPattern = String.raw`\.(?:css|js|mjs|otf|ttf|woff2?)(?:\?.*)?$`;

/**
 * The crawl's `URL_DENYLIST` and `URL_ALLOWLIST`, one pattern a line. The list of refused ones goes first; an empty list
 * of allowed ones allows everything.
 */
export function createAddressFilter(
  config: Readonly<Record<string, unknown>>,
  isOutlink: boolean,
): (url: string) => AddressVerdict {
  const refused = readPatterns(
    config['URL_DENYLIST'] ?? config['URL_BLACKLIST'] ?? (isOutlink ? pagePartPattern : ''),
  ).matchers;
  const allowed = readPatterns(config['URL_ALLOWLIST'] ?? config['URL_WHITELIST']).matchers;
  return (text) => {
    const url = new URL(text);
    if (refused.some((matches) => matches(url))) return { ok: false, reason: `${text} is on the list of refused ones` };
    if (allowed.length === 0 || allowed.some((matches) => matches(url))) return { ok: true };
    return { ok: false, reason: `${text} is not on the list of allowed ones` };
  };
}
