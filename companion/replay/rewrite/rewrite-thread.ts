import { Worker } from 'node:worker_threads';
import { workerFile } from '../../collection/asked-thread.ts';
import type { PageContext } from './page-rewriter.ts';

export type RewriteRequest =
  | { page: number; kind: 'open'; context: PageContext }
  | { page: number; kind: 'piece'; bytes: Uint8Array }
  | { page: number; kind: 'end' | 'close' };

export interface RewriteReply {
  page: number;
  bytes: Uint8Array;
}

interface Waiting {
  resolve: (bytes: Uint8Array) => void;
  reject: (error: Error) => void;
}

const PIECE_BYTES = 256 * 1024;
/** A page that needs more is broken off; the server and other pages go on. */
const MEMORY_MIB = 1024;

/**
 * One worker thread that rewrites pages while they stream, started when needed and again after it broke. Each page
 * gives one piece and waits for what comes of it, so memory holds no more than that and the longest tag.
 */
export class RewriteThread {
  private worker: Worker | undefined;
  private lastPage = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** The page's bytes as they are served. Throws what reading throws, or that the page could not be rewritten. */
  async *rewrite(source: AsyncIterable<Uint8Array>, context: PageContext): AsyncGenerator<Uint8Array> {
    this.lastPage += 1;
    const page = this.lastPage;
    const worker = this.thread();
    worker.postMessage({ page, kind: 'open', context } satisfies RewriteRequest);
    try {
      for await (const piece of source) {
        const bytes = await this.ask(worker, { page, kind: 'piece', bytes: piece });
        yield* inPieces(bytes);
      }
      yield* inPieces(await this.ask(worker, { page, kind: 'end' }));
    } finally {
      worker.postMessage({ page, kind: 'close' } satisfies RewriteRequest);
    }
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private ask(worker: Worker, request: RewriteRequest): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      if (worker !== this.worker) return reject(brokenOff());
      this.waiting.set(request.page, { resolve, reject });
      worker.postMessage(request);
    });
  }

  private thread(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(workerFile('rewrite'), {
      name: 'rewrite',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    worker.on('message', ({ page, bytes }: RewriteReply) => {
      this.waiting.get(page)?.resolve(bytes);
      this.waiting.delete(page);
    });
    // Whatever ends the thread is the end of the pages in it, and not the library's.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = undefined;
      for (const { reject } of this.waiting.values()) reject(brokenOff());
      this.waiting.clear();
    });
    worker.unref();
    this.worker = worker;
    return worker;
  }
}

/** What one long tag holds back comes at once; sending it at once would hold up everybody else. */
function* inPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

function brokenOff(): Error {
  return new Error('The thread that rewrites pages has ended.');
}
