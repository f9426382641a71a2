import { limits } from '../limits.ts';

export type WebUrl = { ok: true; url: string; host: string } | { ok: false; reason: string };

/**
 * Checks a submitted address: one line, http or https, a host (reference 7.2). The address is returned as the URL
 * parser writes it. The reason is the second half of a sentence: "<address>: <reason>".
 */
export function parseWebUrl(text: string): WebUrl {
  const trimmed = text.trim();
  if (trimmed === '') return { ok: false, reason: 'is empty; give an address that begins with http:// or https://' };
  if (/\s/.test(trimmed)) return { ok: false, reason: 'holds white space; give one address at a time' };
  if (trimmed.length > limits.urlLengthMax) {
    return { ok: false, reason: `is longer than ${limits.urlLengthMax} characters` };
  }
  let url: URL;
  try {
    url = new URL(trimmed);
  } catch {
    return { ok: false, reason: 'is no address; it must begin with http:// or https:// and name a host' };
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { ok: false, reason: `has the scheme ${url.protocol} but only http: and https: can be kept` };
  }
  if (!/^https?:\/\//i.test(trimmed) || url.hostname === '') {
    return { ok: false, reason: 'names no host; it must begin with http:// or https://' };
  }
  return { ok: true, url: url.href, host: url.host };
}

/** Addresses that hold the page itself, or run when they are opened. */
const NO_PLACE = /^(data|blob|javascript|vbscript):$/;

/**
 * Checks the address of something a browser showed: a web address, or one of the browser's own pages, of an extension
 * or of a file. The latter can be kept as seen, but nobody else can fetch them. Reasons as in `parseWebUrl`.
 */
export function parseShownUrl(text: string): WebUrl {
  const web = parseWebUrl(text);
  const trimmed = text.trim();
  if (web.ok || !URL.canParse(trimmed) || trimmed.length > limits.urlLengthMax) return web;
  const { href, host, protocol } = new URL(trimmed);
  if (protocol === 'http:' || protocol === 'https:') return web;
  if (NO_PLACE.test(protocol)) return { ok: false, reason: `has the scheme ${protocol}, which names no place` };
  return { ok: true, url: href, host };
}

/** Folder name of a URL's domain: hostname, a port appended with `_`, `unknown` as the last resort (reference 8). */
export function domainFolderName(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const host = parsed?.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/[^A-Za-z0-9.-]/g, '-')
    .replace(/^\.+/, '')
    .slice(0, 200);
  if (!host) return 'unknown';
  return parsed?.port ? `${host}_${parsed.port}` : host;
}
