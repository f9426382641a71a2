import { encodeBase64 } from '../platform/base64.ts';

/** Largest resource that fits into one message to the page, base64 included. */
const RESOURCE_BYTES_MAX = 40 * 1024 * 1024;
const FETCH_MS_MAX = 10_000;

interface Fetched {
  status: number;
  headers: Record<string, string>;
  body: string;
  error: string;
}

/**
 * Fetches a resource that the page's own rules kept from our script there, with the person's cookies and from the
 * cache where possible. Works for hosts the extension may reach; `error` says why not.
 */
export async function fetchForPage(url: string, forbiddenOrigin: string): Promise<Fetched> {
  const refusal = refuse(url, forbiddenOrigin);
  if (refusal) return failure(refusal);
  try {
    const response = await fetch(url, {
      cache: 'force-cache',
      credentials: 'include',
      signal: AbortSignal.timeout(FETCH_MS_MAX),
    });
    const length = Number(response.headers.get('content-length') ?? 0);
    if (length > RESOURCE_BYTES_MAX) return failure('it is larger than 40 MB');
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > RESOURCE_BYTES_MAX) return failure('it is larger than 40 MB');
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, headers: { 'content-type': contentType }, body: encodeBase64(bytes), error: '' };
  } catch (error) {
    return failure(
      error instanceof DOMException && error.name === 'TimeoutError'
        ? 'the site did not answer'
        : 'the site refused it',
    );
  }
}

/** A page must not use us to reach the companion or anything that is no web address. */
function refuse(url: string, forbiddenOrigin: string): string {
  if (!URL.canParse(url)) return 'it has no valid address';
  const parsed = new URL(url);
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') return 'it is not on the web';
  if (parsed.origin === forbiddenOrigin) return 'it lies on the companion';
  return '';
}

function failure(error: string): Fetched {
  return { status: 0, headers: {}, body: '', error };
}
