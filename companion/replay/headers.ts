import { uiOrigins } from '../../shared/protocol/hosts.ts';

/**
 * How a response may behave in a browser:
 * `static` on a snapshot's own host, no scripts;
 * `scripts` on that host, only inside the UI's frame;
 * `opaque` on the fallback port, where all snapshots share one host and so must have no origin at all.
 */
export type ReplayMode = 'static' | 'scripts' | 'opaque';

const ownAndInline = [
  "default-src 'none'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "style-src 'self' 'unsafe-inline' data:",
  "frame-src 'self' data: blob:",
  "form-action 'none'",
  "base-uri 'none'",
];

const userLinks = 'allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation';
const sandboxes: Record<ReplayMode, string> = {
  static: `sandbox allow-same-origin ${userLinks}`,
  scripts: 'sandbox allow-scripts allow-same-origin',
  opaque: `sandbox ${userLinks}`,
};

/** Only Firefox and the specification know `webrtc`; Chromium ignores it, which the UI says. */
const withScripts = ["script-src 'self' 'unsafe-inline' 'unsafe-eval'", "connect-src 'self'", "webrtc 'block'"];

function contentSecurityPolicy(mode: ReplayMode, uiPort: number): string {
  return [
    ...ownAndInline,
    `frame-ancestors ${ancestors(mode, uiPort)}`,
    ...(mode === 'scripts' ? withScripts : []),
    "worker-src 'none'",
    sandboxes[mode],
  ].join('; ');
}

/** A page's own frames have the page above them: without `'self'` the `frame-src 'self'` would show none of them. */
function ancestors(mode: ReplayMode, uiPort: number): string {
  return [...uiOrigins(uiPort), ...(mode === 'opaque' ? [] : ["'self'"])].join(' ');
}

/** Headers of every response of a snapshot host or the fallback port, whatever its type and status (DESIGN section 8). */
export function securityHeaders(mode: ReplayMode, uiPort: number): Headers {
  const headers = new Headers({
    'Content-Security-Policy': contentSecurityPolicy(mode, uiPort),
    'Cross-Origin-Resource-Policy': mode === 'opaque' ? 'cross-origin' : 'same-origin',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  });
  // Documents without an origin ask for their own fonts with `Origin: null`; nobody else is answered.
  if (mode === 'opaque') headers.set('Access-Control-Allow-Origin', 'null');
  return headers;
}
