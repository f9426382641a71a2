import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { HoldfastError } from '../shared/errors/holdfast-error.ts';
import type { Layout } from './collection/layout.ts';
import type { Collection } from './collection/open-collection.ts';
import { holdfastVersion } from './config/version.ts';
import { isProcessAlive, pidNamespace, processStartTime } from './process/process-identity.ts';

const factsSchema = z.object({
  pid: z.number().int().positive(),
  /** With them a later process of the same number is not mistaken for the server. */
  pid_started_at: z.string(),
  pid_namespace: z.string(),
  /** 0 while it starts. */
  port: z.number().int().nonnegative(),
  /** Replay where the names below localhost do not resolve. */
  fallback_port: z.number().int().nonnegative(),
  version: z.string(),
  started_at: z.string(),
});

/** What a server says of itself in `run/server.json`. */
export type ServerFacts = z.infer<typeof factsSchema>;

const serverFile = (layout: Pick<Layout, 'runtime'>): string => path.join(layout.runtime(), 'server.json');

/** The server of this collection, when it is ready and its process lives. */
export function findRunningServer(layout: Pick<Layout, 'runtime'>): ServerFacts | undefined {
  const facts = livingServer(layout);
  return facts && facts.port > 0 ? facts : undefined;
}

function livingServer(layout: Pick<Layout, 'runtime'>): ServerFacts | undefined {
  const facts = readFacts(serverFile(layout));
  return facts && isProcessAlive(facts.pid, facts.pid_started_at, facts.pid_namespace) ? facts : undefined;
}

function readFacts(file: string): ServerFacts | undefined {
  try {
    return factsSchema.safeParse(JSON.parse(fs.readFileSync(file, 'utf8'))).data;
  } catch {
    // Absent, or cut off by a crash: nobody is known to serve.
    return undefined;
  }
}

/**
 * Makes this process the server of the collection. The database's write lock lets one newcomer look at a time, so that
 * of two at the same moment one is refused. Returns how to give the place up. Throws `conflict` naming the first.
 */
export async function claimServer(collection: Collection): Promise<() => void> {
  const file = serverFile(collection.layout);
  await collection.db.write(() => {
    const other = livingServer(collection.layout);
    if (other && other.pid !== process.pid) throw alreadyServed(other);
    writeFacts(file, { main: 0, fallback: 0 });
  });
  return () => {
    if (readFacts(file)?.pid === process.pid) fs.rmSync(file, { force: true });
  };
}

function alreadyServed({ pid, port }: ServerFacts): HoldfastError {
  const where = port > 0 ? `port ${port}` : 'just starting';
  const sentence = `Holdfast already serves this collection (process ${pid}, ${where}); use that one, or stop it first.`;
  return new HoldfastError('conflict', sentence);
}

/** Says on which ports the server of this process answers. */
export function announceServer(collection: Collection, ports: { main: number; fallback: number }): void {
  writeFacts(serverFile(collection.layout), ports);
}

/** Replaced as a whole: a reader never sees half of it. */
function writeFacts(file: string, ports: { main: number; fallback: number }): void {
  const facts: ServerFacts = {
    pid: process.pid,
    pid_started_at: processStartTime(process.pid) ?? '',
    pid_namespace: pidNamespace(),
    port: ports.main,
    fallback_port: ports.fallback,
    version: holdfastVersion,
    started_at: new Date().toISOString(),
  };
  const temporary = `${file}.${process.pid}.tmp`;
  fs.writeFileSync(temporary, JSON.stringify(facts), { mode: 0o600 });
  fs.renameSync(temporary, file);
}
