import type { Protocol } from 'devtools-protocol';
import type { CdpSession } from './cdp.ts';

export interface DocumentAnswer {
  url: string;
  status: number;
  mimeType: string;
  headers: Record<string, string>;
}

/** Follows the top document through redirects, of the server and of scripts. The session needs `Network.enable`. */
export function watchDocument(session: CdpSession) {
  const answers: DocumentAnswer[] = [];
  let lastUrl: string | undefined;
  let topFrame: string | undefined;
  const record = ({ url, status, mimeType, headers }: Protocol.Network.Response): void => {
    answers.push({ url, status, mimeType, headers });
  };
  session.on('Network.requestWillBeSent', ({ type, request, frameId, redirectResponse }) => {
    if (type !== 'Document') return;
    topFrame ??= frameId; // The first document that is asked for is the page's own.
    if (frameId !== topFrame) return;
    lastUrl = request.url;
    if (redirectResponse) record(redirectResponse);
  });
  session.on('Network.responseReceived', ({ type, response, frameId }) => {
    if (type === 'Document' && frameId === topFrame) record(response);
  });
  return {
    /** Address that was asked for last, also when nobody answered. */
    lastUrl: () => lastUrl,
    /** In order; the last one is the page. */
    answers: (): readonly DocumentAnswer[] => answers,
  };
}
