import { text as readText } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import type { Digest } from '../../shared/digest/digest.ts';
import { finishInput, recordSubmitted, type SubmittedRecord } from '../collection/records/crawl-progress.ts';
import { findCrawl } from '../collection/records/crawls.ts';
import { beatCrawl, type Lease } from '../collection/records/leases.ts';
import { readSubmittedText } from '../import/submitted-text.ts';
import { addressCheckOf } from './crawl-addresses.ts';
import type { RunnerContext } from './runner-context.ts';

/** Records of one transaction: far below the 200 ms a batch may hold the lock. */
const batchRecords = 200;
/** Left free for others between two batches, milliseconds. */
const pauseMs = 20;

/**
 * Turns the text of a claimed crawl into snapshots of depth 0, on from where an earlier runner came to. Returns early
 * when the crawl was paused or cancelled or the runner is to stop; the next claim reads on.
 */
export async function parseCrawl(context: RunnerContext, lease: Lease, signal: AbortSignal): Promise<void> {
  const { collection } = context;
  const { db } = collection;
  const crawl = findCrawl(db, lease.id)!;
  const text = await readText(collection.blobs.read(crawl.input as Digest));
  let batch: SubmittedRecord[] = [];
  let position = 0;
  const flush = async (): Promise<boolean> => {
    const records = batch;
    batch = [];
    const written = await db.write(() => recordSubmitted(db, lease, records, Date.now()));
    collection.bell.ring();
    return written && (await db.write(() => beatCrawl(db, lease, Date.now()))) === 'started';
  };
  for (const record of readSubmittedText(text, addressCheckOf(context, crawl, false))) {
    position += 1;
    if (position <= crawl.input_records) continue;
    batch.push(record);
    if (batch.length < batchRecords) continue;
    if (!(await flush()) || signal.aborted) return;
    await wait(pauseMs);
  }
  if (!(await flush())) return;
  await db.write(() => finishInput(db, lease, Date.now()));
  collection.bell.ring();
}
