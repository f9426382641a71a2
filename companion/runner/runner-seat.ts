import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '../../shared/limits.ts';
import type { Collection } from '../collection/open-collection.ts';
import {
  beatProcess,
  endProcess,
  findActiveRunner,
  insertProcess,
  isHeartbeatStale,
  promoteRunner,
} from '../collection/records/processes.ts';
import type { ProcessRow } from '../collection/records/tables.ts';
import { holdfastVersion } from '../config/version.ts';
import { isProcessAlive, pidNamespace, processStartTime } from '../process/process-identity.ts';

export type SeatAnswer = { taken: true } | { taken: false; by: ProcessRow };

const retireLookMs = 50;

/**
 * The one place of the active runner of a collection on this machine. A newcomer registers as waiting; it is promoted
 * when the active one is gone (its process row is verified against the living process, never against the clock alone).
 */
export class RunnerSeat {
  private readonly collection: Collection;
  /** Id of this runner's process row; claims name it. */
  readonly id: string;

  private constructor(collection: Collection, id: string) {
    this.collection = collection;
    this.id = id;
  }

  static async register(collection: Collection): Promise<RunnerSeat> {
    const row = await collection.db.write(() =>
      insertProcess(
        collection.db,
        {
          machineId: collection.machineId,
          type: 'runner',
          workerType: 'waiting',
          pid: process.pid,
          pidNamespace: pidNamespace(),
          pidStartedAt: processStartTime(process.pid) ?? '',
          version: holdfastVersion,
          cmd: process.argv.slice(1),
          cwd: collection.root,
        },
        Date.now(),
      ),
    );
    return new RunnerSeat(collection, row.id);
  }

  /**
   * Takes the place when nobody alive holds it. `takeOver` ends the holder first, as a holder of another version is
   * always ended: two versions must not work on one collection.
   */
  async take(takeOver: boolean): Promise<SeatAnswer> {
    const { db, machineId } = this.collection;
    for (;;) {
      const holder = findActiveRunner(db, machineId);
      if (holder && isRunnerAlive(holder, Date.now())) {
        const isOutOfReach = holder.pid_namespace !== pidNamespace() || holder.pid === process.pid;
        if (isOutOfReach || (!takeOver && holder.version === holdfastVersion)) return { taken: false, by: holder };
        await retire(holder);
      }
      const promoted = await db.write(() => {
        const now = Date.now();
        if (holder) endProcess(db, holder.id, { exitCode: null }, now);
        return promoteRunner(db, this.id, machineId, now);
      });
      if (promoted) return { taken: true };
    }
  }

  /** Says that this runner lives; false when its row was retired by a newer one. */
  async beat(): Promise<boolean> {
    return this.collection.db.write(() => beatProcess(this.collection.db, this.id, Date.now()));
  }

  async leave(): Promise<void> {
    await this.collection.db.write(() => endProcess(this.collection.db, this.id, { exitCode: 0 }, Date.now()));
    this.collection.bell.ring();
  }
}

/** Rows of another process space cannot be verified from here; only a stale heartbeat retires them. */
export function isRunnerAlive(row: ProcessRow, now: number): boolean {
  if (row.pid_namespace !== pidNamespace()) return !isHeartbeatStale(row, now);
  return isProcessAlive(row.pid, row.pid_started_at, row.pid_namespace);
}

/** True while a runner of this collection works somewhere on this machine. */
export function findLivingRunner(collection: Collection): ProcessRow | undefined {
  const holder = findActiveRunner(collection.db, collection.machineId);
  return holder && isRunnerAlive(holder, Date.now()) ? holder : undefined;
}

/** Ends a runner that must go: TERM, then KILL; resolves when it is really gone. */
async function retire(holder: ProcessRow): Promise<void> {
  const isGone = (): boolean => !isProcessAlive(holder.pid, holder.pid_started_at, holder.pid_namespace);
  signalProcess(holder.pid, 'SIGTERM');
  const deadline = performance.now() + limits.killGraceMs;
  while (!isGone() && performance.now() < deadline) await wait(retireLookMs);
  if (isGone()) return;
  signalProcess(holder.pid, 'SIGKILL');
  while (!isGone()) await wait(retireLookMs);
}

/** It may end between the look and the signal; that is what was wanted. */
function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
