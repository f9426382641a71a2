import http from 'node:http';
import { egressReasonHeader } from '../../shared/plugin-contract/egress.ts';
import { HookFailure } from './context.ts';
import type { Hook } from './define-hook.ts';

/** The proxy's reason when it answered in place of the site. Header names in any case. */
export function readEgressReason(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  const entry = Object.entries(headers).find(([name]) => name.toLowerCase() === egressReasonHeader);
  return typeof entry?.[1] === 'string' ? decodeURIComponent(entry[1]) : undefined;
}

/** The proxy through which everything this hook fetches must go; undefined where none is set. */
export function proxyAddress(hook: Hook): URL | undefined {
  const text = hook.text('http_proxy') || hook.text('HTTP_PROXY');
  if (text === '') return undefined;
  if (!URL.canParse(text)) throw new HookFailure(`http_proxy must be an address but is "${text}"`);
  return new URL(text);
}

const askTimeoutMs = 25_000;

/** Asks the proxy for a tunnel to find out why there is none; undefined when there is one after all. */
export function askProxy(hook: Hook, host: string, port: number): Promise<string | undefined> {
  const proxy = proxyAddress(hook);
  if (!proxy) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const request = http.request({
      host: proxy.hostname,
      port: proxy.port,
      method: 'CONNECT',
      path: `${host}:${port}`,
      headers: proxyAuthorization(proxy),
      timeout: askTimeoutMs,
      signal: hook.signal,
    });
    request.on('connect', (response, socket) => {
      socket.destroy();
      resolve(readEgressReason(response.headers));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(undefined)); // The proxy is gone too; the caller has words for that.
    request.end();
  });
}

export function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === '') return {};
  const userInfo = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'Proxy-Authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` };
}
