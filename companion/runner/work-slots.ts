import { availableParallelism } from 'node:os';

const MIB = 1024 * 1024;

/** What one fetched page takes with its tab and extractors; most take less. */
const memoryPerPage = 384 * MIB;
/** Never given to pages. */
const memoryReserve = 256 * MIB;

export interface Machine {
  cores: () => number;
  /** Bytes that can be used without swapping, limits of a container included. */
  memoryFree: () => number;
}

const thisMachine: Machine = { cores: availableParallelism, memoryFree: () => process.availableMemory() };

interface Taken {
  kind: 'fetch' | 'local';
  crawlId: string;
}

/**
 * How many snapshots are worked on at one time, looked at anew each time: as many fetching ones as there are cores and
 * memory for, at most the setting, at least one; and one more slot that is always left to snapshots with a browser's
 * captures, whose work is local and short.
 */
export class WorkSlots {
  private readonly settingMax: () => number;
  private readonly machine: Machine;
  private readonly running = new Map<string, Taken>();

  constructor(settingMax: () => number, machine: Machine = thisMachine) {
    this.settingMax = settingMax;
    this.machine = machine;
  }

  get isFree(): boolean {
    return this.running.size < this.fetchMax() + 1;
  }

  get isFetchFree(): boolean {
    return this.isFree && this.fetching() < this.fetchMax();
  }

  /** Crawls of what is worked on now, each with how many snapshots of it. */
  crawls(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { crawlId } of this.running.values()) counts.set(crawlId, (counts.get(crawlId) ?? 0) + 1);
    return counts;
  }

  take(id: string, taken: Taken): void {
    this.running.set(id, taken);
  }

  free(id: string): void {
    this.running.delete(id);
  }

  /** Pages that run already have taken their memory; what is free decides only about further ones. */
  private fetchMax(): number {
    const further = Math.floor((this.machine.memoryFree() - memoryReserve) / memoryPerPage);
    return Math.max(1, Math.min(this.settingMax(), this.machine.cores(), this.fetching() + further));
  }

  private fetching(): number {
    return [...this.running.values()].filter(({ kind }) => kind === 'fetch').length;
  }
}
