import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { endProcessGroup } from '../process/end-process-group.ts';
import { isProcessAlive, pidNamespace } from '../process/process-identity.ts';

const recordSchema = z.object({ pid: z.number(), startedAt: z.string(), namespace: z.string() });

/** Which browser has a profile open, so that a later life can end it. */
export async function writeBrowserRecord(profileDir: string, pid: number, startedAt: string): Promise<void> {
  const record = recordSchema.parse({ pid, startedAt, namespace: pidNamespace() });
  await writeFile(recordFile(profileDir), JSON.stringify(record));
}

/**
 * Ends a browser that an earlier life left on this profile and takes away its locks, without which a new one would
 * refuse to start. Answers whether there was one.
 */
export async function endEarlierBrowser(profileDir: string, graceMs: number): Promise<boolean> {
  const record = await readRecord(recordFile(profileDir));
  const isAlive =
    record?.namespace === pidNamespace() && isProcessAlive(record.pid, record.startedAt, record.namespace);
  if (record && isAlive) await endProcessGroup(record.pid, graceMs, record.startedAt);
  for (const name of ['SingletonLock', 'SingletonSocket', 'SingletonCookie', 'DevToolsActivePort']) {
    await rm(join(profileDir, name), { force: true });
  }
  return isAlive;
}

function recordFile(profileDir: string): string {
  return join(profileDir, 'holdfast-browser.json');
}

async function readRecord(file: string): Promise<z.infer<typeof recordSchema> | undefined> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined; // None, or one cut off by a crash: then its browser cannot be known.
  }
}
