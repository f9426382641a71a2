import type { AddressVerdict } from '../../shared/url/address-verdict.ts';

/**
 * Files that are parts of pages, not pages: links to them are not followed unless a list of the crawl says otherwise
 * (reference 7.3). An address that somebody submits is never refused for its ending.
 */
const pagePartPattern = String.raw`\.(?:css|js|mjs|otf|ttf|woff2?)(?:\?.*)?$`;

type Matcher = (url: URL) => boolean;

/**
 * The crawl's `URL_DENYLIST` and `URL_ALLOWLIST`, one pattern a line: a domain (`example.com` with its sub-domains,
 * `*.example.com` only those, with a port or without) or a regular expression. The list of refused ones goes first; an
 * empty list of allowed ones allows everything.
 */
export function createAddressFilter(
  config: Readonly<Record<string, unknown>>,
  isOutlink: boolean,
): (url: string) => AddressVerdict {
  const refused = patterns(config['URL_DENYLIST'] ?? config['URL_BLACKLIST'] ?? (isOutlink ? pagePartPattern : ''));
  const allowed = patterns(config['URL_ALLOWLIST'] ?? config['URL_WHITELIST']);
  return (text) => {
    const url = new URL(text);
    if (refused.some((matches) => matches(url))) return { ok: false, reason: `${text} is on the list of refused ones` };
    if (allowed.length === 0 || allowed.some((matches) => matches(url))) return { ok: true };
    return { ok: false, reason: `${text} is not on the list of allowed ones` };
  };
}

function patterns(list: unknown): Matcher[] {
  const lines = Array.isArray(list) ? list.map(String) : String(list ?? '').split('\n');
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => (/^[\w.*:-]+$/.test(line) ? domainMatcher(line.toLowerCase()) : expressionMatcher(line)));
}

function domainMatcher(pattern: string): Matcher {
  const [name = '', port] = pattern.split(':');
  const onlyBelow = name.startsWith('*.');
  const domain = onlyBelow ? name.slice(2) : name;
  return ({ hostname, port: actual, protocol }) => {
    if (port !== undefined && port !== (actual || (protocol === 'https:' ? '443' : '80'))) return false;
    return hostname.endsWith(`.${domain}`) || (!onlyBelow && hostname === domain);
  };
}

/** An expression that cannot be read matches nothing. */
function expressionMatcher(source: string): Matcher {
  try {
    const expression = new RegExp(source, 'i');
    return ({ href }) => expression.test(href);
  } catch {
    return () => false;
  }
}
