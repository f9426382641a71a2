import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { z } from 'zod';
import { helloResponseSchema, type HelloResponse } from '../../shared/protocol/hello.ts';
import { routes } from '../../shared/protocol/routes.ts';
import type { Layout } from '../collection/layout.ts';

const serverFactsSchema = z.object({
  pid: z.number().int().positive(),
  port: z.number().int().positive(),
  version: z.string(),
  started_at: z.string(),
});
/** What a running server says of itself in `run/server.json`. */
export type ServerFacts = z.infer<typeof serverFactsSchema>;

/** The server of this collection, when its process lives. */
export function findRunningServer(layout: Pick<Layout, 'runtime'>): ServerFacts | undefined {
  const file = path.join(layout.runtime(), 'server.json');
  if (!fs.existsSync(file)) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    // Cut off by a crash: nobody is known to serve.
    return undefined;
  }
  const facts = serverFactsSchema.safeParse(json).data;
  return facts && isAlive(facts.pid) ? facts : undefined;
}

const helloDeadlineMs = 3_000;
const helloBytesMax = 16 * 1024;

/**
 * Asks whoever listens on a port of this machine for its name; undefined when it is not Holdfast or says nothing in
 * time. Not with `fetch`, whose promise never settles when a program hangs up at once.
 */
export function askHello(port: number): Promise<HelloResponse | undefined> {
  return new Promise((resolve) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: routes.hello,
      method: 'POST',
      agent: false,
      timeout: helloDeadlineMs,
    };
    const request = http.request({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
        if (text.length > helloBytesMax) request.destroy();
      });
      response.on('close', () => resolve(parseHello(text)));
    });
    // A program that sends a byte now and then would never run into the timeout of the socket.
    const deadline = setTimeout(() => request.destroy(), helloDeadlineMs);
    request.on('error', () => resolve(undefined));
    request.on('timeout', () => request.destroy());
    request.on('close', () => {
      clearTimeout(deadline);
      resolve(undefined);
    });
    request.end(JSON.stringify({ nonce: randomBytes(16).toString('hex') }));
  });
}

function parseHello(text: string): HelloResponse | undefined {
  try {
    return helloResponseSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // Another program's answer.
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
