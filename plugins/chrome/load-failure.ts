import type { Hook } from '../kit/define-hook.ts';
import { askProxy, readEgressReason } from '../kit/proxy.ts';
import type { DocumentAnswer } from '../kit/watch-document.ts';

/**
 * Why a page did not load, as a sentence, or undefined when it did. The browser sees of the proxy's refusals only that
 * the tunnel failed (https) or a page with the proxy's own headers (http); the proxy itself knows the reason.
 */
export async function explainLoadFailure(
  hook: Hook,
  url: string,
  errorText: string | undefined,
  response: DocumentAnswer | undefined,
): Promise<string | undefined> {
  const refused = response && readEgressReason(response.headers);
  if (refused) return refused;
  if (errorText === undefined || errorText === '') return undefined;
  const { hostname, host, protocol } = new URL(url);
  if (errorText === 'net::ERR_TUNNEL_CONNECTION_FAILED') {
    const port = new URL(url).port || (protocol === 'https:' ? '443' : '80');
    return (await askProxy(hook, hostname, Number(port))) ?? `${host} could not be reached`;
  }
  return `${host} ${words[errorText.replace(/^net::/, '')] ?? `could not be loaded (${errorText})`}`;
}

const words: Record<string, string> = {
  ERR_NAME_NOT_RESOLVED: 'could not be found; is the address spelled right?',
  ERR_CONNECTION_REFUSED: 'refuses connections',
  ERR_CONNECTION_RESET: 'broke off the connection',
  ERR_CONNECTION_CLOSED: 'broke off the connection',
  ERR_EMPTY_RESPONSE: 'answered nothing',
  ERR_CONNECTION_TIMED_OUT: 'did not answer in time',
  ERR_TIMED_OUT: 'did not answer in time',
  ERR_TOO_MANY_REDIRECTS: 'redirects in a circle',
  ERR_CERT_AUTHORITY_INVALID: 'has a certificate that no known authority issued',
  ERR_CERT_COMMON_NAME_INVALID: 'has a certificate of another site',
  ERR_CERT_DATE_INVALID: 'has a certificate that is out of date',
  ERR_SSL_PROTOCOL_ERROR: 'does not speak https properly',
  ERR_PROXY_CONNECTION_FAILED: 'could not be reached because the companion’s proxy is gone',
  ERR_ABORTED: 'leads to a file to download, not to a page',
};
