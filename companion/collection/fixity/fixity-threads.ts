import os from 'node:os';
import { AskedThread } from '../asked-thread.ts';
import type { Look, LookAnswer } from './look.ts';

/** Reading and hashing keep a core busy each; more than a few only make the disk seek. */
const threadsMax = 4;

type Thread = AskedThread<readonly Look[], LookAnswer>;

/** Worker threads that read bytes and compare digests, one batch each at a time. */
export class FixityThreads {
  private readonly idle: Thread[];
  private readonly waiting: ((thread: Thread) => void)[] = [];
  readonly count: number;

  constructor(count: number = Math.max(1, Math.min(threadsMax, os.availableParallelism()))) {
    this.count = count;
    this.idle = Array.from({ length: count }, () => new AskedThread<readonly Look[], LookAnswer>('fixity'));
  }

  /** A batch over which a thread broke is answered as unreadable. */
  async look(looks: readonly Look[]): Promise<LookAnswer> {
    const thread = this.idle.pop() ?? (await new Promise<Thread>((resolve) => this.waiting.push(resolve)));
    try {
      return (await thread.ask(looks)) ?? { damages: looks.map(() => 'unreadable' as const), bytes: 0 };
    } finally {
      const next = this.waiting.shift();
      if (next) next(thread);
      else this.idle.push(thread);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.idle.map((thread) => thread.close()));
  }
}
