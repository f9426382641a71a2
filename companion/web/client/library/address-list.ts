import { parseWebUrl } from '../../../../shared/url/web-url.ts';

export interface AddressList {
  /** Addresses to keep, in order, each once. */
  urls: string[];
  /** One sentence for each line that holds none. */
  refused: string[];
}

/** Reads what a person pastes: one address on a line. Empty lines and lines that begin with # mean nothing. */
export function parseAddressList(text: string): AddressList {
  const urls = new Set<string>();
  const refused: string[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const parsed = parseWebUrl(withScheme(trimmed));
    if (parsed.ok) urls.add(parsed.url);
    else refused.push(`Line ${index + 1}, "${shorten(trimmed)}", ${parsed.reason}.`);
  }
  return { urls: [...urls], refused };
}

/** People leave the scheme out: `example.org/a` means https. */
function withScheme(text: string): string {
  return /^[\w-]+(\.[\w-]+)+(:\d+)?([/?#]\S*)?$/.test(text) ? `https://${text}` : text;
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
