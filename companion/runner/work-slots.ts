import { availableParallelism } from 'node:os';

/**
 * How many snapshots are worked on at one time: as many fetching ones as there are cores, at most the setting, and one
 * more slot that is always left to snapshots with a browser's captures, whose work is local and short.
 */
export class WorkSlots {
  private readonly fetchMax: number;
  private readonly running = new Map<string, 'fetch' | 'local'>();

  constructor(settingMax: number, cores: number = availableParallelism()) {
    this.fetchMax = Math.max(1, Math.min(settingMax, cores));
  }

  get size(): number {
    return this.running.size;
  }

  get isFree(): boolean {
    return this.running.size < this.fetchMax + 1;
  }

  get isFetchFree(): boolean {
    const fetching = [...this.running.values()].filter((kind) => kind === 'fetch').length;
    return this.isFree && fetching < this.fetchMax;
  }

  take(id: string, kind: 'fetch' | 'local'): void {
    this.running.set(id, kind);
  }

  free(id: string): void {
    this.running.delete(id);
  }
}
