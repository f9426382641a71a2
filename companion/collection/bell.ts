import { EventEmitter } from 'node:events';
import { watch, writeFileSync, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { limits } from '../../shared/limits.ts';
import type { Db } from './database.ts';

/**
 * Wakes every process of the collection after a commit (DESIGN section 3, "Wake-up"). The bell file is a hint;
 * correctness comes from looking at `data_version` every 1 to 2 seconds. Watching the write-ahead log itself would
 * lose the last write.
 */
export class Bell {
  private readonly file: string;
  private readonly db: Db;
  private readonly emitter = new EventEmitter();
  private watcher: FSWatcher | undefined;
  private timer: NodeJS.Timeout | undefined;
  private seenVersion = 0;

  constructor(file: string, db: Db) {
    this.file = file;
    this.db = db;
    this.emitter.setMaxListeners(0);
  }

  /** Call after a commit that others should notice. */
  ring(): void {
    this.emitter.emit('ring');
    writeFileSync(this.file, `${Date.now()}\n`);
  }

  /** Calls back after every change, own or foreign, until the returned function is called. */
  onRing(listener: () => void): () => void {
    this.emitter.on('ring', listener);
    this.startWatching();
    return () => {
      this.emitter.off('ring', listener);
      if (this.emitter.listenerCount('ring') === 0) this.stopWatching();
    };
  }

  /** Resolves at the next ring, at `timeoutMs`, or when the signal aborts; never rejects. */
  async next(timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stop();
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.onRing(done);
      const timer = setTimeout(done, Math.min(timeoutMs, 2 ** 31 - 1));
      signal?.addEventListener('abort', done);
    });
  }

  close(): void {
    this.emitter.removeAllListeners();
    this.stopWatching();
  }

  private startWatching(): void {
    if (this.watcher) return;
    const name = path.basename(this.file);
    this.watcher = watch(path.dirname(this.file), { persistent: false }, (_event, changed) => {
      if (changed === null || changed === name) this.emitter.emit('ring');
    });
    // A folder that vanishes must not end the process; the look at data_version goes on.
    this.watcher.on('error', () => this.watcher?.close());
    this.seenVersion = this.db.dataVersion();
    this.timer = setInterval(() => {
      const version = this.db.dataVersion();
      if (version === this.seenVersion) return;
      this.seenVersion = version;
      this.emitter.emit('ring');
    }, limits.dataVersionPollMs);
    this.timer.unref();
  }

  private stopWatching(): void {
    this.watcher?.close();
    this.watcher = undefined;
    clearInterval(this.timer);
  }
}
