import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
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

/** Asks whoever listens on a port for its name; undefined when it is not Holdfast or says nothing in time. */
export async function askHello(port: number, host = '127.0.0.1'): Promise<HelloResponse | undefined> {
  try {
    const response = await fetch(`http://${host}:${port}${routes.hello}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ nonce: randomBytes(16).toString('hex') }),
      signal: AbortSignal.timeout(helloDeadlineMs),
    });
    return helloResponseSchema.safeParse(await response.json()).data;
  } catch {
    // No answer, no HTTP or no JSON: in each case nothing of ours.
    return undefined;
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
