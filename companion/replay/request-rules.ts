import type { ReplayMode } from './headers.ts';

/** Kinds of requests that make a document in a tab or frame; only these may come from another site. */
const documentDestinations = new Set(['document', 'iframe', 'frame']);
/** A worker on a snapshot host would outlive the page and answer for it. */
const workerDestinations = new Set(['serviceworker', 'sharedworker', 'worker', 'audioworklet', 'paintworklet']);

/**
 * Why a request to a snapshot host is refused, as one sentence; undefined when it may pass. Clients that send no
 * Sec-Fetch headers are no browsers of today: for them the unguessable name is the key.
 */
export function refusalOf(request: Request, mode: ReplayMode): string | undefined {
  const destination = request.headers.get('Sec-Fetch-Dest');
  if (workerDestinations.has(destination ?? '') || request.headers.has('Service-Worker')) {
    return 'Kept pages may not start workers.';
  }
  if (mode === 'scripts' && destination !== 'iframe') {
    return 'A kept page may run its scripts only inside a frame of the library; open it from there.';
  }
  if (mode === 'opaque') return undefined;
  const site = request.headers.get('Sec-Fetch-Site');
  if (site === null || site === 'none' || site === 'same-origin') return undefined;
  const navigates = request.headers.get('Sec-Fetch-Mode') === 'navigate' && documentDestinations.has(destination ?? '');
  return navigates ? undefined : 'Another site may link to a kept page but not use its parts.';
}
