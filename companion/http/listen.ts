import { createAdaptorServer, type ServerType } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';

export interface Listening {
  port: number;
  /** Sentences a person should read, for example that IPv6 is not there. */
  notes: string[];
  close(): Promise<void>;
}

/** An application as the composition root sees it. */
interface FetchApp {
  fetch: (request: Request, env?: object) => Response | Promise<Response>;
}

/**
 * Listens on 127.0.0.1 and [::1] at one port: a stranger on ::1 would answer `localhost` (DESIGN section 8). Port 0
 * takes a free one. Throws `conflict` with what to do when the port is taken.
 */
export async function listenOnLoopback(app: FetchApp, wantedPort: number): Promise<Listening> {
  const first = createServer(app);
  const port = await bind(first, '127.0.0.1', wantedPort);
  const second = createServer(app);
  const notes: string[] = [];
  const servers = [first];
  try {
    await bind(second, '::1', port);
    servers.push(second);
  } catch (error) {
    if (!isMissingFamily(error)) {
      await close(first);
      throw error;
    }
    notes.push('IPv6 is not available here; Holdfast listens on 127.0.0.1 only.');
  }
  return {
    port,
    notes,
    close: async () => {
      await Promise.all(servers.map(close));
    },
  };
}

/** One listener on 127.0.0.1 at a free port, for replay where `<label>.localhost` does not resolve. */
export async function listenOnFreePort(fetch: FetchApp['fetch']): Promise<Listening> {
  const server = createServer({ fetch });
  const port = await bind(server, '127.0.0.1', 0);
  return { port, notes: [], close: () => close(server) };
}

function createServer(app: FetchApp): ServerType {
  // Uploads of many gigabytes may take longer than Node's five minutes for one request.
  return createAdaptorServer({ fetch: app.fetch, serverOptions: { requestTimeout: 0 } });
}

function bind(server: ServerType, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port)));
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const place = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  if (error.code === 'EADDRINUSE') {
    return new HoldfastError(
      'conflict',
      `Another program already listens on ${place}; stop it, or choose another port with --port.`,
      { cause: error },
    );
  }
  if (error.code === 'EACCES') {
    return new HoldfastError(
      'conflict',
      `This user may not listen on ${place}; choose a port above 1023 with --port.`,
      { cause: error },
    );
  }
  return error;
}

function isMissingFamily(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT';
}

function close(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    // Event streams and kept-alive connections would hold the server open for ever.
    (server as Server).closeAllConnections();
  });
}
