import { spawn, type ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Access } from '../../companion/auth/access.ts';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';

// Answers are looked at, not trusted: a test reads the fields it names.
type Json = ReturnType<typeof JSON.parse>;

export interface TestAnswer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
  json: () => Json;
}

export interface RequestOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Host header; the connection always goes to 127.0.0.1 (Node does not resolve `*.localhost`). */
  host?: string;
}

/** A real companion: `holdfast serve` as a child process on a free port, with its own data folder. */
export interface TestCompanion {
  port: number;
  dataDir: string;
  /** Bearer token good for everything. */
  token: string;
  loginLink: string;
  pairingCode: string;
  child: ChildProcess;
  /** A second connection to the same collection, for looking at rows. */
  collection: Collection;
  access: Access;
  /** Sends a request with the token. */
  request: (path: string, options?: RequestOptions) => Promise<TestAnswer>;
  /** Ends it without a goodbye, as a power cut would. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
}

export const cliFile = path.resolve('dist/companion/cli.js');

export async function startCompanion(options: {
  dataDir: string;
  port?: number;
  env?: Record<string, string>;
  args?: string[];
}): Promise<TestCompanion> {
  const child = spawn(
    process.execPath,
    [cliFile, '--data', options.dataDir, 'serve', '--port', String(options.port ?? 0), ...(options.args ?? [])],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.env } },
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { loginLink, pairingCode } = await readGreeting(child);
  const facts = JSON.parse(fs.readFileSync(path.join(options.dataDir, 'run', 'server.json'), 'utf8')) as {
    port: number;
  };
  const collection = await openCollection(options.dataDir);
  const access = new Access(collection);
  const { token } = await access.newToken('test');
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    collection.close();
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  return {
    port: facts.port,
    dataDir: options.dataDir,
    token,
    loginLink,
    pairingCode,
    child,
    collection,
    access,
    request: (target, init = {}) =>
      sendRequest(facts.port, target, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } }),
    kill: () => stop('SIGKILL'),
    stop: () => stop('SIGTERM'),
  };
}

function readGreeting(child: ChildProcess): Promise<{ loginLink: string; pairingCode: string }> {
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    let loginLink = '';
    createInterface({ input: child.stdout! }).on('line', (line) => {
      loginLink ||= /https?:\/\/\S+#\S+/.exec(line)?.[0] ?? '';
      const pairingCode = /pairing code\W+([A-Z0-9]{4}-[A-Z0-9]{4})\b/i.exec(line)?.[1];
      if (loginLink !== '' && pairingCode !== undefined) resolve({ loginLink, pairingCode });
    });
    child.once('exit', (code) => reject(new Error(`the companion ended with ${code}: ${errors}`)));
  });
}

/** A request as any client may send it, without a token unless the caller adds one. */
export function sendRequest(port: number, target: string, options: RequestOptions = {}): Promise<TestAnswer> {
  return new Promise((resolve, reject) => {
    const headers: Record<string, string> = { host: options.host ?? `127.0.0.1:${port}`, ...options.headers };
    if (typeof options.body === 'string' && !('content-type' in headers)) headers['content-type'] = 'application/json';
    const request = http.request(
      { host: '127.0.0.1', port, path: target, method: options.method ?? 'GET', headers, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const body = Buffer.concat(chunks);
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body,
            json: () => JSON.parse(body.toString('utf8')),
          });
        });
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}
