import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '../../shared/limits.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import type { Collection } from '../collection/open-collection.ts';
import {
  beatProcess,
  endProcess,
  findActiveRunner,
  insertProcess,
  isHeartbeatStale,
  promoteRunner,
  runningRunners,
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
  private readonly row: ProcessRow;

  private constructor(collection: Collection, row: ProcessRow) {
    this.collection = collection;
    this.row = row;
  }

  /** Id of this runner's process row; claims name it. */
  get id(): string {
    return this.row.id;
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
    return new RunnerSeat(collection, row);
  }

  /**
   * Takes the place when nobody alive holds it. `takeOver` ends the holder first, as a holder of another version is
   * always ended: two versions must not work on one collection. A newer runner is never ended; of several that take over
   * the newest stays. No transaction is held while somebody ends.
   */
  async take(takeOver: boolean): Promise<SeatAnswer> {
    const { db, machineId } = this.collection;
    for (;;) {
      const holder = findActiveRunner(db, machineId);
      if (holder && isRunnerAlive(this.collection, holder, Date.now())) {
        const isOutOfReach = holder.pid_namespace !== pidNamespace() || holder.pid === process.pid;
        const isDue = takeOver || holder.version !== holdfastVersion;
        if (isOutOfReach || !isDue || isNewer(holder, this.row)) return { taken: false, by: holder };
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

function isNewer(a: ProcessRow, b: ProcessRow): boolean {
  const difference = a.started_at - b.started_at || a.created_at - b.created_at;
  return difference === 0 ? a.id > b.id : difference > 0;
}

/**
 * Rows of another process space cannot be verified from here; only a stale heartbeat retires them. Those that came with
 * a copy of the data folder tell of processes that work on the original.
 */
export function isRunnerAlive(collection: Collection, row: ProcessRow, now: number): boolean {
  if (!isOfFolder(collection, row.cwd)) return false;
  if (row.pid_namespace !== pidNamespace()) return !isHeartbeatStale(row, now);
  return isProcessAlive(row.pid, row.pid_started_at, row.pid_namespace);
}

/** True while a runner of this collection works somewhere on this machine. */
export function findLivingRunner(collection: Collection): ProcessRow | undefined {
  const holder = findActiveRunner(collection.db, collection.machineId);
  return holder && isRunnerAlive(collection, holder, Date.now()) ? holder : undefined;
}

/** True for a folder of a process that is this data folder or lies in it; one that is gone was moved and may be. */
export function isOfFolder(collection: Collection, folder: string): boolean {
  if (!fs.existsSync(folder)) return true;
  const relative = path.relative(fs.realpathSync(collection.root), fs.realpathSync(folder));
  return relative === '' || !(relative === '..' || relative.startsWith(`..${path.sep}`));
}

/** One sentence about runners that cannot be judged from here; undefined when there are none. */
export function strangersSentence(collection: Collection): string | undefined {
  const rows = runningRunners(collection.db);
  const machines = rows.filter((row) => row.machine_id !== collection.machineId).length;
  const spaces = rows.filter((row) => row.machine_id === collection.machineId && row.pid_namespace !== pidNamespace());
  const parts = [
    machines > 0 ? `${countPhrase(machines, 'runner')} on other machines` : '',
    spaces.length > 0 ? `${countPhrase(spaces.length, 'runner')} in another process space of this machine` : '',
  ].filter((part) => part !== '');
  if (parts.length === 0) return undefined;
  return `The collection names ${parts.join(' and ')}; they cannot be seen from here and are left alone.`;
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
