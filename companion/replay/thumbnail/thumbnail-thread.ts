import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

export interface ThumbnailRequest {
  id: number;
  png: Uint8Array;
  /** Pixels. */
  widthMax: number;
}

export type ThumbnailReply = { id: number; png: Uint8Array } | { id: number; reason: string };

const MEMORY_MIB = 192;

/** One worker thread that makes small pictures, started when needed and again after it broke. */
export class ThumbnailThread {
  private worker: Worker | undefined;
  private lastId = 0;
  private readonly waiting = new Map<number, (png: Uint8Array | undefined) => void>();

  /** The picture scaled down to `widthMax` pixels, or undefined when it cannot be decoded. Takes over `png`'s memory. */
  scale(png: Uint8Array<ArrayBuffer>, widthMax: number): Promise<Uint8Array | undefined> {
    this.lastId += 1;
    const request: ThumbnailRequest = { id: this.lastId, png, widthMax };
    return new Promise((resolve) => {
      this.waiting.set(request.id, resolve);
      this.thread().postMessage(request, [png.buffer]);
    });
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private thread(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(workerFile(), {
      name: 'thumbnails',
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    worker.on('message', (reply: ThumbnailReply) => this.settle(reply.id, 'png' in reply ? reply.png : undefined));
    // Whatever ends the thread, for one picture's sake, is that picture's end and not the library's.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = undefined;
      for (const id of this.waiting.keys()) this.settle(id, undefined);
    });
    worker.unref();
    this.worker = worker;
    return worker;
  }

  private settle(id: number, png: Uint8Array | undefined): void {
    this.waiting.get(id)?.(png);
    this.waiting.delete(id);
  }
}

/** Beside this file's bundle in the build; from the sources (tests) the built one, because Node runs no TypeScript. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(
    new URL(isSource ? '../../../dist/companion/thumbnail-worker.js' : './thumbnail-worker.js', import.meta.url),
  );
}
