import type { SingleFileFetch, SingleFileResponse } from 'single-file-core/single-file.js';
import { decodeBase64 } from '../../platform/base64.ts';

/** What the background answers; shaped like the message's reply. */
interface FetchedElsewhere {
  status: number;
  headers: Record<string, string>;
  body: string;
  error: string;
}

/**
 * Fetches a resource of the page: first as the page itself would, from the browser's cache where it can, then through
 * the background, which is not bound by the page's cross-origin rules. What fails is noted, not thrown away; the
 * favicon is only guessed, so its absence is nothing to tell.
 */
export function resourceFetcher(
  elsewhere: (url: string, referrer: string | undefined) => Promise<FetchedElsewhere>,
  failed: { url: string; reason: string }[],
): SingleFileFetch {
  return async (url, options) => {
    const here = await fetchHere(url, options.headers);
    if (here && here.status < 400) return here;
    const there = await elsewhere(url, options.referrer);
    if (there.error === '' && there.status < 400) return toResponse(url, there);
    if (/^https?:/.test(url) && !url.endsWith('/favicon.ico'))
      failed.push({ url, reason: there.error || `the site answered ${there.status}` });
    return here ?? toResponse(url, there);
  };
}

async function fetchHere(
  url: string,
  headers: Record<string, string> | undefined,
): Promise<SingleFileResponse | undefined> {
  try {
    return await fetch(url, { cache: 'force-cache', referrerPolicy: 'strict-origin-when-cross-origin', headers });
  } catch {
    // Refused by the page's own rules or gone; the background tries next and notes the reason.
    return undefined;
  }
}

function toResponse(url: string, fetched: FetchedElsewhere): SingleFileResponse {
  if (fetched.error !== '') throw new Error(fetched.error);
  const bytes = decodeBase64(fetched.body);
  return {
    status: fetched.status,
    url,
    headers: { get: (name) => fetched.headers[name.toLowerCase()] ?? null },
    arrayBuffer: () => Promise.resolve(bytes.buffer),
  };
}
