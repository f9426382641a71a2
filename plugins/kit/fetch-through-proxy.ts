import { fetch, ProxyAgent } from 'undici';
import { HookFailure } from './context.ts';
import type { Hook } from './define-hook.ts';
import { proxyAddress, proxyAuthorization, readEgressReason } from './proxy.ts';

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
    const reason = readEgressReason(Object.fromEntries(response.headers));
    if (reason !== undefined) throw new HookFailure(reason);
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
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new HookFailure(`${url} could not be fetched: ${cause instanceof Error ? cause.message : String(cause)}`);
  } finally {
    await dispatcher.destroy();
  }
}
