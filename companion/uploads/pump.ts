import type { Readable } from 'node:stream';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';

/** While one batch is written this much of the next may collect; beyond it the sender waits. */
const bufferedBytesMax = 2 * 1024 * 1024;

/** Bytes come in pieces of 64 KiB; writing each by itself costs more than the writing. */
const batchBytesMin = 512 * 1024;
/** A slow sender's bytes are not held back longer than this. */
const collectMs = 5;

/** The sender is gone; what it sent so far is good. */
export class BrokenOff extends HoldfastError {}

/**
 * Hands a stream on in batches: while one is consumed the next collects. Unlike a pipeline it never destroys the
 * source, because destroying a request closes the connection before the client has read why it was refused. Ends
 * with the source; rejects when the source breaks off, `consume` fails or the signal aborts (with its reason).
 */
export async function pump(
  source: Readable,
  consume: (batch: Buffer[]) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const inbox = new Inbox(source, signal);
  try {
    for (;;) {
      const batch = await inbox.next();
      if (batch.length === 0) return;
      await consume(batch);
    }
  } finally {
    inbox.close();
  }
}

class Inbox {
  private readonly source: Readable;
  private readonly signal: AbortSignal;
  private batch: Buffer[] = [];
  private bytes = 0;
  private ended = false;
  private failure: unknown;
  private wake: () => void = () => undefined;

  constructor(source: Readable, signal: AbortSignal) {
    this.source = source;
    this.signal = signal;
    source.on('data', this.onData).on('end', this.onEnd).on('error', this.onError).on('close', this.onClose);
    signal.addEventListener('abort', this.onAbort);
    if (signal.aborted) this.onAbort();
    if (source.destroyed && !source.readableEnded) this.onClose();
    if (source.readableEnded) this.onEnd();
  }

  /** The next bytes; an empty list at the end. */
  async next(): Promise<Buffer[]> {
    while (this.batch.length === 0 && !this.isOver) {
      if (!(await this.isWokenWithin(limits.uploadStallMs))) this.fail(brokenOff());
    }
    if (this.bytes < batchBytesMin && !this.isOver) await this.isWokenWithin(collectMs);
    if (this.failure !== undefined && (this.batch.length === 0 || this.signal.aborted)) throw this.failure;
    const batch = this.batch;
    this.batch = [];
    this.bytes = 0;
    if (this.source.isPaused()) this.source.resume();
    return batch;
  }

  close(): void {
    this.source.pause();
    this.source.off('data', this.onData).off('end', this.onEnd).off('close', this.onClose);
    this.signal.removeEventListener('abort', this.onAbort);
    // The error listener stays: a connection that breaks later must not end the process.
  }

  private get isOver(): boolean {
    return this.ended || this.failure !== undefined;
  }

  private async isWokenWithin(ms: number): Promise<boolean> {
    return new Promise<boolean>((resolve) => {
      const late = setTimeout(() => resolve(false), ms);
      this.wake = () => {
        clearTimeout(late);
        resolve(true);
      };
    });
  }

  private readonly onData = (chunk: Buffer): void => {
    this.batch.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes >= bufferedBytesMax) this.source.pause();
    if (this.batch.length === 1 || this.bytes >= batchBytesMin) this.wake();
  };

  private readonly onEnd = (): void => {
    this.ended = true;
    this.wake();
  };

  private readonly onError = (error: unknown): void => this.fail(brokenOff(error));

  private readonly onClose = (): void => {
    if (!this.ended) this.fail(brokenOff());
  };

  private readonly onAbort = (): void => this.fail(this.signal.reason);

  private fail(reason: unknown): void {
    this.failure ??= reason;
    this.wake();
  }
}

function brokenOff(cause?: unknown): BrokenOff {
  return new BrokenOff('bad_request', 'The connection broke off in the middle of the upload; send the rest again.', {
    cause,
  });
}
