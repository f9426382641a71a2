import dgram from 'node:dgram';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** A stranger on the network: it counts whoever reaches it, from the first packet on. */
export interface Canary {
  /** One number for TCP and UDP, on 127.0.0.1 and, where there is one, on ::1. */
  port: number;
  /** TCP connections, also those on which nothing was ever asked. */
  connections: () => number;
  datagrams: () => number;
  /** Paths that were asked for. */
  requests: () => string[];
  /** Resolves when all these paths were asked for; a test's own deadline ends the wait. */
  waitFor: (paths: readonly string[]) => Promise<void>;
  close: () => Promise<void>;
}

const types: Record<string, string> = {
  css: 'text/css',
  html: 'text/html',
  js: 'text/javascript',
  json: 'application/json',
  svg: 'image/svg+xml',
};

export async function startCanary(): Promise<Canary> {
  const seen = { connections: 0, datagrams: 0, requests: [] as string[] };
  const listeners = new Set<() => void>();
  const answer = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    const path = new URL(request.url ?? '/', 'http://canary').pathname;
    seen.requests.push(path);
    const type = types[path.split('.').at(-1)!] ?? 'application/octet-stream';
    response.writeHead(200, { 'Content-Type': type, 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' });
    response.end();
    for (const listener of listeners) listener();
  };
  const first = http.createServer(answer).on('connection', () => (seen.connections += 1));
  const port = await listen(first, 0, '127.0.0.1');
  const servers = [first];
  const second = http.createServer(answer).on('connection', () => (seen.connections += 1));
  try {
    await listen(second, port, '::1');
    servers.push(second);
  } catch {
    // Machines without IPv6 have no such address for a page to find either.
  }
  const socket = dgram.createSocket('udp4').on('message', () => (seen.datagrams += 1));
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  return {
    port,
    connections: () => seen.connections,
    datagrams: () => seen.datagrams,
    requests: () => [...seen.requests],
    waitFor: (paths) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (!paths.every((path) => seen.requests.includes(path))) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        check();
      }),
    close: async () => {
      socket.close();
      await Promise.all(servers.map(stop));
    },
  };
}

function listen(server: http.Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function stop(server: http.Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
