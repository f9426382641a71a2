import { fileURLToPath } from 'node:url';
import { Worker, type ResourceLimits, type Transferable } from 'node:worker_threads';

export interface Asked<Question> {
  id: number;
  question: Question;
}

export interface Answered<Answer> {
  id: number;
  answer: Answer | undefined;
}

/**
 * One worker thread that answers questions, started when needed and again after it broke. Whatever ends the thread is
 * the end of the questions it held (they are answered with undefined), never of the program.
 */
export class AskedThread<Question, Answer> {
  private readonly name: string;
  private readonly resourceLimits: ResourceLimits;
  private worker: Worker | undefined;
  private lastId = 0;
  private readonly waiting = new Map<number, (answer: Answer | undefined) => void>();

  /** `name` is the one of its program, without `-worker.ts`. */
  constructor(name: string, resourceLimits: ResourceLimits = {}) {
    this.name = name;
    this.resourceLimits = resourceLimits;
  }

  /** Undefined when the thread has no answer or broke over it. Takes over the memory of `transfer`. */
  ask(question: Question, transfer: readonly Transferable[] = []): Promise<Answer | undefined> {
    this.lastId += 1;
    const asked: Asked<Question> = { id: this.lastId, question };
    return new Promise((resolve) => {
      this.waiting.set(asked.id, resolve);
      const worker = this.thread();
      worker.ref();
      worker.postMessage(asked, transfer);
    });
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private thread(): Worker {
    if (this.worker) return this.worker;
    const worker = new Worker(workerFile(this.name), { name: this.name, resourceLimits: this.resourceLimits });
    worker.on('message', (reply: Answered<Answer>) => this.settle(reply.id, reply.answer));
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.worker === worker) this.worker = undefined;
      for (const id of this.waiting.keys()) this.settle(id, undefined);
    });
    this.worker = worker;
    return worker;
  }

  private settle(id: number, answer: Answer | undefined): void {
    this.waiting.get(id)?.(answer);
    this.waiting.delete(id);
    // A thread with nothing to do keeps no program alive.
    if (this.waiting.size === 0) this.worker?.unref();
  }
}

/**
 * The built program of a worker thread: beside the bundle in the build, below `dist` from the sources (tests), because
 * Node runs no TypeScript.
 */
export function workerFile(name: string): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(`${isSource ? '../../dist/companion' : '.'}/${name}-worker.js`, import.meta.url));
}
