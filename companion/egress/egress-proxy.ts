import http, { type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AllowList } from './allow-list.ts';
import { createCredentials } from './credentials.ts';
import { forwardRequest, sendRefusal } from './forward-request.ts';
import { normalizeHost, parseAuthority } from './normalize-host.ts';
import { openTunnel, refuseTunnel } from './open-tunnel.ts';
import { type Refusal, resolveTarget, type Target } from './resolve-target.ts';

export interface RefusedAddress {
  host: string;
  port: number;
  reason: string;
  /** The run whose credentials came with the request; undefined for the shared browser. */
  run: string | undefined;
}

export interface EgressOptions {
  allow: AllowList;
  /** Called once for each request that was refused because of its address. */
  onRefused: (refused: RefusedAddress) => void;
  /** Refuses everything: for hooks that work from the user's own copy. */
  isOffline?: boolean;
  /** Refuses requests that name no run. The shared browser cannot name one. */
  needsCredentials?: boolean;
  /** Ports of this machine that are ours (server, browser control): refused even where this machine is permitted. */
  ownPorts?: () => Iterable<number>;
}

export interface EgressProxy {
  port: number;
  /** `http://127.0.0.1:<port>`, for Chromium's `--proxy-server`. */
  address: string;
  /** Variables that lead command line tools here; with a run's name requests carry its credentials. */
  environment(run?: string): Record<string, string>;
  /** The run has ended: its credentials are void. */
  forget(run: string): void;
  close(): Promise<void>;
}

/**
 * The one way out (experiments section 12): resolves names itself, refuses addresses that are not public in every
 * spelling and at every redirect (each is a request of its own), and connects to the address it checked.
 */
export async function startEgressProxy(options: EgressOptions): Promise<EgressProxy> {
  const credentials = createCredentials(options.needsCredentials ?? false);
  const agent = new http.Agent({ keepAlive: true });
  const sockets = new Set<Socket>();

  const admit = async (destination: Destination, run: string | undefined): Promise<Target> => {
    const { host, port } = destination;
    const target = await judge({ host, port }, options);
    if ('reason' in target && (target.code === 'refused' || target.code === 'offline')) {
      options.onRefused({ host, port, reason: target.reason, run });
    }
    return target;
  };

  const server = http.createServer((request, response) => {
    const identity = credentials.identify(request.headers['proxy-authorization']);
    if (!identity.ok) {
      response.writeHead(407, { 'Proxy-Authenticate': 'Basic realm="holdfast"' }).end();
      return;
    }
    const destination = parseAbsoluteForm(request);
    if (!destination) {
      sendRefusal(response, notProxied);
      return;
    }
    void admit(destination, identity.run).then((target) => {
      if ('reason' in target) sendRefusal(response, target);
      else forwardRequest(request, response, { ...destination, addresses: target.addresses }, agent);
    });
  });
  server.on('connect', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => socket.destroy()); // The client went away; its tunnel goes with it.
    const identity = credentials.identify(request.headers['proxy-authorization']);
    if (!identity.ok) {
      // git gives up on a 407 that keeps the connection.
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="holdfast"\r\nConnection: close\r\n\r\n',
      );
      return;
    }
    const destination = parseAuthority(request.url ?? '');
    if (!destination) {
      refuseTunnel(socket, notProxied);
      return;
    }
    void admit(destination, identity.run).then((target) => {
      if ('reason' in target) refuseTunnel(socket, target);
      else openTunnel(socket, head, { ...destination, addresses: target.addresses });
    });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  const port = await listen(server);
  return {
    port,
    address: `http://127.0.0.1:${port}`,
    environment: (run) => proxyEnvironment(port, run === undefined ? undefined : credentials.issue(run)),
    forget: (run) => credentials.revoke(run),
    close: () => {
      agent.destroy();
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve, reject) => server.close((error) => (error ? reject(error) : resolve())));
    },
  };
}

interface Destination {
  host: string;
  port: number;
}

const notProxied: Refusal = { code: 'bad_request', reason: 'this is a proxy; ask it for a whole http address' };

function parseAbsoluteForm(request: IncomingMessage): (Destination & { path: string }) | undefined {
  const text = request.url ?? '';
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const host = normalizeHost(url.hostname);
  return host === undefined ? undefined : { host, port: Number(url.port) || 80, path: url.pathname + url.search };
}

async function judge({ host, port }: Destination, options: EgressOptions): Promise<Target> {
  if (options.isOffline) {
    return { code: 'offline', reason: `${host} was not fetched: this work is done from the copy, without the network` };
  }
  const target = await resolveTarget(host, port, options.allow);
  if ('reason' in target || !options.ownPorts) return target;
  const isOwn = [...options.ownPorts()].includes(port) && target.addresses.some(({ address }) => isLoopback(address));
  return isOwn ? { code: 'refused', reason: `${host}:${port} is Holdfast itself, which is never fetched` } : target;
}

function isLoopback(address: string): boolean {
  return address.startsWith('127.') || address === '::1';
}

function proxyEnvironment(port: number, userInfo: string | undefined): Record<string, string> {
  const address = `http://${userInfo === undefined ? '' : `${userInfo}@`}127.0.0.1:${port}`;
  return {
    http_proxy: address,
    https_proxy: address,
    all_proxy: address,
    no_proxy: '',
    HTTP_PROXY: address,
    HTTPS_PROXY: address,
    ALL_PROXY: address,
    NO_PROXY: '',
    // git:// knows no proxy.
    GIT_ALLOW_PROTOCOL: 'http:https',
    NODE_USE_ENV_PROXY: '1',
  };
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}
