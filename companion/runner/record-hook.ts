import fs from 'node:fs/promises';
import type { Digest } from '../../shared/digest/digest.ts';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { folderFacts, linkOutput, removeLink } from '../collection/links.ts';
import { sniffBytes, sniffMimetype } from '../collection/mimetypes.ts';
import type { Collection } from '../collection/open-collection.ts';
import { countFetchedBytes } from '../collection/records/crawl-limits.ts';
import { holdsGeneration, type Lease } from '../collection/records/leases.ts';
import { endProcess } from '../collection/records/processes.ts';
import { dropOutputs } from '../collection/records/outputs.ts';
import {
  findResultByKey,
  mergeResult,
  recordOutputs,
  type NewOutput,
  type ResultKey,
} from '../collection/records/results.ts';
import { requireSnapshot, setTitle } from '../collection/records/snapshots.ts';
import { siblingPaths } from '../collection/records/upload-rows.ts';
import { addTags } from '../collection/records/tags.ts';
import { clashSentence, withoutClashes } from './output-clashes.ts';
import type { HookOutcome } from './hook-outcome.ts';
import type { FoundFiles } from './run-folder.ts';

export interface HookRecord {
  key: ResultKey;
  lease: Lease;
  processId: string | undefined;
  exitCode: number | null;
  stdout: string;
  stderr: string;
  startedAt: number;
  endedAt: number;
  outcome: HookOutcome;
  tags: readonly string[];
  origin: 'derived' | 'fetched';
}

/** `fenced`: somebody claimed the snapshot after this hook's run; nothing of it is kept. */
export type Recorded = { fenced: true } | { fenced: false; raisedInputs: boolean };

/** Takes a hook's files through the gate: digests, sizes and sniffed types, bytes synced under `blobs/`. */
export async function promoteOutputs(collection: Collection, found: FoundFiles): Promise<NewOutput[]> {
  if (found.files.length > limits.filesPerResultMax) {
    throw new HoldfastError(
      'too_many_files',
      `it left ${found.files.length} files; one result may hold ${limits.filesPerResultMax}`,
    );
  }
  const outputs: NewOutput[] = [];
  for (const { path, file } of found.files) {
    const mimetype = await sniffMimetype(await readHead(file), path);
    const promoted = await collection.gate.promoteCopy(file, { mimetype, path }, limits.hookOutputBytesMax);
    outputs.push({ path, ...promoted, mimetype, declaredType: '' });
  }
  return outputs;
}

async function readHead(file: string): Promise<Uint8Array> {
  const handle = await fs.open(file, 'r');
  try {
    const head = Buffer.alloc(sniffBytes);
    const { bytesRead } = await handle.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Records the end of a hook: result, outputs, title and tags in one transaction, fenced by the generation of its
 * lease; then its files appear in the snapshot's folder. A run that brought nothing never replaces a good output: the
 * earlier result stays and says what happened to the later run.
 */
export async function recordHook(
  collection: Collection,
  record: HookRecord,
  outputs: readonly NewOutput[],
): Promise<Recorded> {
  const { db } = collection;
  const written = await db.write(() => {
    const now = Date.now();
    if (record.processId !== undefined) {
      endProcess(
        db,
        record.processId,
        { exitCode: record.exitCode, stdout: record.stdout, stderr: record.stderr },
        now,
      );
    }
    return holdsGeneration(db, record.lease) ? writeRows(collection, record, outputs, now) : undefined;
  });
  collection.bell.ring();
  if (!written) return { fenced: true };
  const facts = folderFacts(collection, requireSnapshot(db, record.key.snapshotId));
  for (const output of written.kept) {
    await linkOutput(collection, facts, {
      plugin: record.key.plugin,
      path: output.path,
      digest: output.digest as Digest,
    });
  }
  for (const path of written.dropped) await removeLink(collection.layout, facts, record.key.plugin, path);
  return { fenced: false, raisedInputs: written.kept.length > 0 };
}

interface WrittenRows {
  kept: readonly NewOutput[];
  /** Paths of the earlier run that the new one does not have. */
  dropped: string[];
}

function writeRows(
  collection: Collection,
  record: HookRecord,
  outputs: readonly NewOutput[],
  now: number,
): WrittenRows {
  const { db } = collection;
  const { key, outcome } = record;
  const times = { startedAt: record.startedAt, endedAt: record.endedAt, processId: record.processId };
  const before = findResultByKey(db, key);
  if (before?.status === 'succeeded' && outcome.status !== 'succeeded') {
    const what = outcome.error ?? (outcome.outputStr || outcome.status);
    mergeResult(db, key, { ...times, error: `A later run brought nothing better: ${what}` }, now);
    return { kept: [], dropped: [] };
  }
  const { kept, clashes } = withoutClashes(outcome.status === 'failed' ? [] : outputs, siblingPaths(db, key));
  countFetchedBytes(
    db,
    key.snapshotId,
    kept.reduce((sum, output) => sum + output.size, 0),
  );
  recordOutputs(
    db,
    key,
    kept,
    {
      ...times,
      status: outcome.status,
      outputStr: outcome.outputStr === '' ? undefined : outcome.outputStr,
      outputJson: outcome.outputJson,
      origin: record.origin,
      error: clashes.length === 0 ? outcome.error : clashSentence(clashes),
    },
    now,
  );
  const dropped = before
    ? dropOutputs(
        db,
        before.id,
        kept.map((output) => output.path),
      )
    : [];
  if (key.plugin === 'title' && outcome.status === 'succeeded')
    setTitle(db, key.snapshotId, outcome.outputStr, 'hook', now);
  addTags(db, key.snapshotId, record.tags, now);
  return { kept, dropped };
}
