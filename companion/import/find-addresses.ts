import type { FoundAddresses } from '../../shared/protocol/requests.ts';
import type { AddressVerdict } from '../../shared/url/address-verdict.ts';
import { parseWebUrl } from '../../shared/url/web-url.ts';

const ADDRESS = /https?:\/\/[^\s"'<>\\^`{|}]+/gi;

/**
 * Addresses inside any text, in its order, each once: lists, bookmarks, feeds, exported tables, prose. Marks that close a sentence or a bracket
 * do not belong to an address, unless the bracket was opened in it.
 */
export function findAddresses(text: string, check: (url: string) => AddressVerdict): FoundAddresses {
  const urls = new Set<string>();
  const refused = new Set<string>();
  for (const [raw] of text.matchAll(ADDRESS)) {
    const parsed = parseWebUrl(withoutEnd(raw.replaceAll('&amp;', '&')));
    const verdict = parsed.ok ? check(parsed.url) : undefined;
    if (parsed.ok && verdict?.ok) urls.add(parsed.url);
    else if (!parsed.ok) refused.add(`${raw.slice(0, SHOWN)} ${parsed.reason}.`);
    else if (verdict && !verdict.ok) refused.add(`${verdict.reason}.`);
  }
  return { urls: [...urls], refused: [...refused] };
}

/** Letters of an address that a sentence about it repeats. */
const SHOWN = 200;

function withoutEnd(address: string): string {
  const trimmed = address.replace(/[,.;:!?\]*]+$/, '');
  if (!trimmed.endsWith(')') || trimmed.split('(').length >= trimmed.split(')').length) return trimmed;
  return withoutEnd(trimmed.slice(0, -1));
}
