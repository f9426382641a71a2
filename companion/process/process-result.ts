import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

export const endReasons = ['exited', 'deadline', 'cancelled', 'spawn_failed', 'output_limit'] as const;
export type EndReason = (typeof endReasons)[number];

/** One shape for success and failure. A process ended by a signal has `exitCode` null and `signal` set. */
export interface ProcessResult {
  /** `exited`: it ended by itself, well or not; the others: why it was ended, or never began. */
  reason: EndReason;
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  pid: number | null;
  /** Opaque start time of `processStartTime`, for telling the process from a later one with the same number. */
  startedAt: string | null;
  startedAtMs: number;
  endedAtMs: number;
  durationMs: number;
  /** The ends of both streams, capped. */
  stdout: string;
  stderr: string;
  /** Everything that was printed, capped or not. */
  stdoutBytes: number;
  stderrBytes: number;
  /** A sentence for a person, unless the process ended by itself with 0. */
  message: string | null;
}

export interface ProcessLogs {
  stdoutFile: string;
  stderrFile: string;
  /** `.meta.json`: written last and synced; a run without it was interrupted. */
  metaFile: string;
}

const metaSchema = z.object({
  reason: z.enum(endReasons),
  exitCode: z.number().nullable(),
  signal: z.string().nullable(),
  pid: z.number().nullable(),
  startedAt: z.string().nullable(),
  startedAtMs: z.number(),
  endedAtMs: z.number(),
  message: z.string().nullable(),
});
export type ProcessMeta = z.infer<typeof metaSchema>;

/** Parses what `writeProcessLogs` left; throws on anything else. */
export function parseProcessMeta(text: string): ProcessMeta {
  return metaSchema.parse(JSON.parse(text));
}

/** Saves streams and outcome so that a later life can record a run that its runner did not live to record. */
export async function writeProcessLogs(logs: ProcessLogs, result: ProcessResult): Promise<void> {
  await writeSynced(logs.stdoutFile, result.stdout);
  await writeSynced(logs.stderrFile, result.stderr);
  const meta: ProcessMeta = metaSchema.parse(result);
  await writeSynced(logs.metaFile, `${JSON.stringify(meta)}\n`);
}

/** Temporary name, sync, rename, sync of the folder: the file is whole or not there. */
async function writeSynced(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w');
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
