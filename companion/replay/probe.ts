import { probeAddress } from '../../shared/protocol/hosts.ts';
import { securityHeaders } from './headers.ts';
import { sentence } from './sentence.ts';

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>';

/**
 * Answers on the host that holds no snapshot. Its picture says nothing but that the name was found, so every page may
 * load it; the UI asks anew each time, because a browser may move to a network that resolves otherwise.
 */
export function answerProbe(request: Request, port: number): Response {
  const headers = securityHeaders('static', port);
  const reads = request.method === 'GET' || request.method === 'HEAD';
  if (!reads || new URL(request.url).pathname !== new URL(probeAddress(port)).pathname) {
    return sentence(404, 'This address holds no kept page.', headers);
  }
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  headers.set('Content-Type', 'image/svg+xml');
  headers.set('Cache-Control', 'no-store');
  return new Response(request.method === 'HEAD' ? null : picture, { headers });
}
