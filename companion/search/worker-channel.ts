import { Worker } from 'node:worker_threads';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { workerFile } from '../collection/asked-thread.ts';
import type { Envelope, ReplyError, WorkerMessage, WorkerRequest, WorkerSettings } from './worker-messages.ts';

/** After this a thread that goes on with an abandoned request is replaced: it may hang in one long step of SQLite or the disk. */
const abandonGraceMs = 1_000;
const closeGraceMs = 3_000;

interface Pending {
  envelope: Envelope;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

export type WorkerNews = Extract<WorkerMessage, { kind: 'building' | 'trouble' }>;

/** Requests and replies over one worker thread, which is started when it is needed and again when it broke. */
export class WorkerChannel {
  private readonly settings: WorkerSettings;
  private readonly onNews: (news: WorkerNews) => void;
  private readonly pending = new Map<number, Pending>();
  private worker: Worker | undefined;
  private lastId = 0;
  private isClosed = false;

  constructor(settings: WorkerSettings, onNews: (news: WorkerNews) => void) {
    this.settings = settings;
    this.onNews = onNews;
  }

  /** Tells something that is not answered. */
  tell(request: WorkerRequest): void {
    if (!this.isClosed) this.thread().postMessage(this.envelope(request));
  }

  /** Rejects with the reason of the signal as soon as it aborts, whatever the thread is doing. */
  async ask<T>(request: WorkerRequest, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.isClosed) throw new HoldfastError('busy', 'Holdfast is shutting down; try again when it runs.');
    const envelope = this.envelope(request);
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        this.pending.set(envelope.id, { envelope, resolve: resolve as (value: unknown) => void, reject });
        onAbort = () => {
          this.abandon(envelope);
          reject(signal?.reason);
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        this.thread().postMessage(envelope);
      });
    } finally {
      if (onAbort) signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Lets the thread finish its step and close its files. */
  async close(): Promise<void> {
    this.isClosed = true;
    const { worker } = this;
    if (!worker) return;
    const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    worker.postMessage('close');
    const timer = setTimeout(() => void worker.terminate(), closeGraceMs);
    await exited;
    clearTimeout(timer);
  }

  private envelope(request: WorkerRequest): Envelope {
    this.lastId += 1;
    return { id: this.lastId, request, abandoned: new SharedArrayBuffer(4) };
  }

  private abandon(envelope: Envelope): void {
    Atomics.store(new Int32Array(envelope.abandoned), 0, 1);
    const { worker } = this;
    const timer = setTimeout(() => {
      if (this.pending.has(envelope.id) && worker !== undefined && this.worker === worker) this.replace(worker);
    }, abandonGraceMs);
    timer.unref();
  }

  /** Gives what others wait for to a new thread; the old one ends when its step does. */
  private replace(worker: Worker): void {
    worker.removeAllListeners();
    worker.on('error', () => undefined);
    void worker.terminate();
    this.worker = undefined;
    for (const [id, { envelope }] of this.pending) {
      if (isAbandoned(envelope)) this.pending.delete(id);
      else this.thread().postMessage(envelope);
    }
  }

  private thread(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(workerFile('search'), {
      workerData: this.settings,
      name: `search-${this.settings.role}`,
    });
    worker.on('message', (message: WorkerMessage) => this.receive(message));
    worker.on('error', (error) =>
      this.onNews({ kind: 'trouble', sentence: `The search ${this.settings.role} thread ended: ${error.message}` }),
    );
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = undefined;
      const reason = new HoldfastError('internal', 'The search stopped unexpectedly; try again.');
      for (const [id, { reject }] of this.pending) {
        this.pending.delete(id);
        reject(reason);
      }
    });
    this.worker = worker;
    return worker;
  }

  private receive(message: WorkerMessage): void {
    if (message.kind === 'building' || message.kind === 'trouble') return this.onNews(message);
    const pending = this.pending.get(message.id);
    this.pending.delete(message.id);
    if (message.kind === 'reply') pending?.resolve(message.value);
    else pending?.reject(toError(message.error));
  }
}

/** Raised when the index was found damaged; `createSearch` makes it anew and asks again. */
export class DamagedIndex extends Error {}

function toError(error: ReplyError): Error {
  if (error.code === 'damaged') return new DamagedIndex(error.message);
  return new HoldfastError(error.code === 'abandoned' ? 'busy' : error.code, error.message);
}

function isAbandoned(envelope: Envelope): boolean {
  return Atomics.load(new Int32Array(envelope.abandoned), 0) === 1;
}
