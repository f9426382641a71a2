/** What the links of one document are resolved against. */
export interface LinkBase {
  /** Address the page had when it was kept. */
  documentUrl: string;
  /** The document's `<base href>`, once seen. */
  baseUrl: string;
  /** Frames have addresses of their own that are not known here, so their links to this page are no fragments. */
  isFrame: boolean;
  /** Beginning of the UI's page for an address; the address follows, percent-encoded. */
  linkPrefix: string;
}

/**
 * Where a link of a kept page leads when it is served: to the UI's page for its address, or to the fragment when it
 * means a place on the same page. Undefined: the link stays as it is (a fragment, or no web address).
 */
export function servedLink(href: string, base: LinkBase): string | undefined {
  const trimmed = href.trim();
  if (trimmed.startsWith('#')) return undefined;
  const url = parse(trimmed, base.baseUrl) ?? parse(trimmed, undefined);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) return undefined;
  if (!base.isFrame && url.hash !== '' && withoutHash(url) === withoutHash(parse(base.documentUrl, undefined)))
    return url.hash;
  return base.linkPrefix + encodeURIComponent(url.href);
}

function parse(text: string, base: string | undefined): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined;
}

function withoutHash(url: URL | undefined): string | undefined {
  if (!url) return undefined;
  const copy = new URL(url);
  copy.hash = '';
  return copy.href;
}
