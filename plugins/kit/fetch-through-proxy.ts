import { fetch, ProxyAgent } from 'undici';
import { HookFailure } from './context.ts';
import type { Hook } from './define-hook.ts';
import { askProxy, proxyAddress, proxyAuthorization } from './proxy.ts';

export interface Fetched {
  status: number;
  contentType: string;
  body: Buffer;
}

/**
 * Fetches through the run's proxy, which Node 20 does not do by itself; redirects too, each checked there. Throws a
 * HookFailure with the proxy's reason, or when no proxy is set: hooks never go out on their own.
 */
export async function fetchThroughProxy(hook: Hook, url: string, bytesMax: number): Promise<Fetched> {
  const proxy = proxyAddress(hook);
  if (!proxy) throw new HookFailure('there is no proxy to fetch through: http_proxy is not set');
  const token = proxyAuthorization(proxy)['Proxy-Authorization'];
  const dispatcher = new ProxyAgent({ uri: proxy.origin, ...(token === undefined ? {} : { token }) });
  try {
    const userAgent = hook.text('USER_AGENT');
    const response = await fetch(url, {
      dispatcher,
      signal: hook.signal,
      ...(userAgent === '' ? {} : { headers: { 'User-Agent': userAgent } }),
    });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > bytesMax) throw new HookFailure(`${url} is larger than ${bytesMax} bytes`);
      chunks.push(chunk);
    }
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: Buffer.concat(chunks),
    };
  } catch (error) {
    if (error instanceof HookFailure || hook.signal.aborted) throw error;
    throw new HookFailure(`${url} could not be fetched: ${await explain(hook, url, error)}`);
  } finally {
    await dispatcher.destroy();
  }
}

/** undici asks for a tunnel always and tells only that there is none; the proxy tells why. */
async function explain(hook: Hook, url: string, error: unknown): Promise<string> {
  const { hostname, port, protocol } = new URL(url);
  const reason = await askProxy(hook, hostname, Number(port) || (protocol === 'https:' ? 443 : 80));
  if (reason !== undefined) return reason;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
