import { decodeBase64 } from '../platform/base64.ts';
import type { FileSink } from './file-sink.ts';

interface Job {
  tabId: number;
  sink: FileSink;
  next: number;
}

/**
 * Where slices from a page find their file. A page's renderer may be hostile: a slice is taken only for a running
 * job, from the tab of that job, in order. A restarted background knows no jobs and refuses.
 */
export class SliceJobs {
  readonly #jobs = new Map<string, Job>();

  open(tabId: number, sink: FileSink): string {
    const job = crypto.randomUUID();
    this.#jobs.set(job, { tabId, sink, next: 0 });
    return job;
  }

  /** @throws Error when the slice belongs to no running job of this tab or is not the next one */
  async take(job: string, tabId: number | undefined, index: number, base64: string): Promise<void> {
    const running = this.#require(job, tabId);
    if (index !== running.next) throw new Error(`slice ${index} came where ${running.next} was due`);
    running.next += 1;
    await running.sink.write(decodeBase64(base64));
  }

  /** @throws Error when no job of this name runs in this tab */
  requireRunning(job: string, tabId: number | undefined): void {
    this.#require(job, tabId);
  }

  slices(job: string): number {
    return this.#jobs.get(job)?.next ?? 0;
  }

  close(job: string): void {
    this.#jobs.delete(job);
  }

  #require(job: string, tabId: number | undefined): Job {
    const running = this.#jobs.get(job);
    if (!running || running.tabId !== tabId) throw new Error('no capture of this tab is running');
    return running;
  }
}
