export type AddressMatcher = (url: URL) => boolean;

export interface ReadPatterns {
  matchers: AddressMatcher[];
  /** Lines that are neither a domain nor a regular expression; they match nothing. */
  unreadable: string[];
}

/**
 * A list of address patterns, one a line: a domain (`example.com` with its sub-domains, `*.example.com` only those, with
 * a port or without) or a regular expression over the whole address, without regard to case.
 */
export function readPatterns(list: unknown): ReadPatterns {
  const lines = Array.isArray(list) ? list.map(String) : String(list ?? '').split('\n');
  const read: ReadPatterns = { matchers: [], unreadable: [] };
  for (const line of lines.map((text) => text.trim()).filter((text) => text !== '')) {
    const matcher = /^[\w.*:-]+$/.test(line) ? domainMatcher(line.toLowerCase()) : expressionMatcher(line);
    // It stays in the list: a list of allowed addresses that cannot be read allows nothing, not everything.
    read.matchers.push(matcher ?? (() => false));
    if (!matcher) read.unreadable.push(line);
  }
  return read;
}

function domainMatcher(pattern: string): AddressMatcher {
  const [name = '', port] = pattern.split(':');
  const onlyBelow = name.startsWith('*.');
  const domain = onlyBelow ? name.slice(2) : name;
  return ({ hostname, port: actual, protocol }) => {
    if (port !== undefined && port !== (actual || (protocol === 'https:' ? '443' : '80'))) return false;
    return hostname.endsWith(`.${domain}`) || (!onlyBelow && hostname === domain);
  };
}

function expressionMatcher(source: string): AddressMatcher | undefined {
  try {
    const expression = new RegExp(source, 'i');
    return ({ href }) => expression.test(href);
  } catch {
    return undefined; // Not an expression: the caller says so.
  }
}
