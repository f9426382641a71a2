import { setTimeout as delay } from 'node:timers/promises';
import { CdpError, type CdpSession } from './cdp.ts';
import { evaluateApart } from './evaluate.ts';

export interface QuietLimits {
  /** Milliseconds without a request and without a change of the document that count as quiet. */
  quietMs: number;
  /** Upper bound. A page that never becomes quiet is kept as it is then. */
  maxMs: number;
}

/** A request that stays open longer is a stream and says nothing about whether the page is complete. */
const streamAfterMs = 5_000;

export interface NetworkWatch {
  /** Milliseconds since the last request began or ended; 0 while some are open. */
  quietForMs(): number;
  stop(): void;
}

/** Begins to count requests; the session needs `Network.enable`. */
export function watchNetwork(session: CdpSession): NetworkWatch {
  const open = new Map<string, number>();
  let lastChange = performance.now();
  const change = (): void => void (lastChange = performance.now());
  const end = ({ requestId }: { requestId: string }): void => {
    if (open.delete(requestId)) change();
  };
  let topFrame: string | undefined;
  const stops = [
    session.on('Network.requestWillBeSent', ({ requestId, request, type, frameId }) => {
      if (request.url.startsWith('data:')) return;
      if (type === 'Document') topFrame ??= frameId;
      // A frame of another site is loaded in another process, which alone reports its end.
      if (type === 'Document' && frameId !== topFrame) return;
      open.set(requestId, performance.now());
      change();
    }),
    session.on('Network.loadingFinished', end),
    session.on('Network.loadingFailed', end),
  ];
  return {
    quietForMs() {
      const now = performance.now();
      const isLoading = [...open.values()].some((since) => now - since < streamAfterMs);
      return isLoading ? 0 : now - lastChange;
    },
    stop: () => stops.forEach((stop) => stop()),
  };
}

/** Resolves when document and network are quiet, or at the upper bound; answers whether they became quiet. */
export async function waitForQuiet(session: CdpSession, network: NetworkWatch, limits: QuietLimits): Promise<boolean> {
  const deadline = performance.now() + limits.maxMs;
  while (performance.now() < deadline) {
    const remaining = deadline - performance.now();
    const isDocumentQuiet = await documentQuiet(session, limits.quietMs, remaining);
    if (isDocumentQuiet && network.quietForMs() >= limits.quietMs) return true;
  }
  return false;
}

async function documentQuiet(session: CdpSession, quietMs: number, maxMs: number): Promise<boolean> {
  const giveUp = new AbortController();
  const bound = delay(maxMs, false, { signal: giveUp.signal }).catch(() => false);
  try {
    const answer = evaluateApart<boolean>(session, `(${untilUnchanged.toString()})(${quietMs}, ${Math.ceil(maxMs)})`);
    return await Promise.race([answer, bound]);
  } catch (error) {
    // A page that goes elsewhere takes the question with it; it is asked again of the next document.
    if (error instanceof CdpError) return false;
    throw error;
  } finally {
    giveUp.abort();
  }
}

/** Runs in the page. */
function untilUnchanged(quietMs: number, maxMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (isQuiet: boolean): void => {
      observer.disconnect();
      clearTimeout(quiet);
      clearTimeout(bound);
      resolve(isQuiet);
    };
    let quiet = setTimeout(() => finish(true), quietMs);
    const bound = setTimeout(() => finish(false), maxMs);
    const observer = new MutationObserver(() => {
      clearTimeout(quiet);
      quiet = setTimeout(() => finish(true), quietMs);
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  });
}
