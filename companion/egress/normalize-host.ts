/**
 * A host as the URL parser writes it: decimal, octal, hexadecimal, short and full-width spellings of an address become
 * the dotted form, names lower case and punycode, without the final dot and the brackets of IPv6. Undefined when it is
 * no host.
 */
export function normalizeHost(host: string): string | undefined {
  const candidate = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  if (/[/?#@\\]/.test(candidate) || !URL.canParse(`http://${candidate}/`)) return undefined;
  const { hostname } = new URL(`http://${candidate}/`);
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  return bare === '' ? undefined : bare;
}

/** `host:port` of a CONNECT request. Undefined when it is none. */
export function parseAuthority(authority: string): { host: string; port: number } | undefined {
  const match = /^(.+):(\d{1,5})$/.exec(authority);
  const host = match?.[1] === undefined ? undefined : normalizeHost(match[1]);
  const port = Number(match?.[2]);
  return host === undefined || port < 1 || port > 65_535 ? undefined : { host, port };
}
