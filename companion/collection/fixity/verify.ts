import fs from 'node:fs/promises';
import path from 'node:path';
import type { Digest } from '../../../shared/digest/digest.ts';
import { errnoOf } from '../durable-files.ts';
import type { Collection } from '../open-collection.ts';
import { blobsToCheck, crawlInputs, sampleBlobs, snapshotsAfter, snapshotsShowing } from '../records/fixity.ts';
import type { BlobToCheck } from '../records/fixity.ts';
import { isDeleted, findSnapshot } from '../records/snapshots.ts';
import type { SnapshotRow } from '../records/tables.ts';
import { checkBlobs, isForeignName, type CheckedBlobs } from './check-blobs.ts';
import { checkFolder } from './check-folder.ts';
import type { FixityThreads } from './fixity-threads.ts';

export interface VerifyProblem {
  kind: 'missing' | 'changed' | 'unreadable' | 'unknown';
  /** Relative to the data folder, with forward slashes. */
  path: string;
}

export interface VerifyOptions {
  /** Milliseconds. */
  now: () => number;
  /** Share of the blobs, above 0 to 1; everything when left out. */
  sample?: number | undefined;
  /** Asked between rounds of at most some seconds; the next run goes on with what was not checked for longest. */
  isWanted?: () => boolean;
  onProblem: (problem: VerifyProblem) => void;
}

export interface VerifyReport {
  /** Blobs and joined pages that were read. */
  files: number;
  bytes: number;
  problems: number;
  /** False when it was stopped before everything that was asked for had been looked at. */
  isComplete: boolean;
}

const rowsPerRound = 256;
/** Ends a round early, so that a run that is limited in time keeps to it. */
const bytesPerRound = 512 * 1024 * 1024;

/**
 * Re-reads the collection's bytes in worker threads and compares rows, blobs and folders. Everything, or with `sample`
 * or a time limit a part: then the folders that show the checked bytes. Memory does not grow with the collection.
 */
export class Verification {
  private readonly collection: Collection;
  private readonly threads: FixityThreads;
  private readonly options: VerifyOptions;
  private readonly report: VerifyReport = { files: 0, bytes: 0, problems: 0, isComplete: true };

  constructor(collection: Collection, threads: FixityThreads, options: VerifyOptions) {
    this.collection = collection;
    this.threads = threads;
    this.options = options;
  }

  async run(isWhole: boolean): Promise<VerifyReport> {
    if (this.options.sample === undefined) await this.checkOldest(!isWhole);
    else await this.checkSample(this.options.sample);
    if (!isWhole) return this.report;
    await this.checkInputs();
    await this.checkFolders();
    await this.findForeignBlobs();
    await this.findForeignFolders();
    return this.report;
  }

  private async checkOldest(withFolders: boolean): Promise<void> {
    const startedAt = this.options.now();
    for (;;) {
      const blobs = takeRound(blobsToCheck(this.collection.db, startedAt, rowsPerRound));
      if (blobs.length === 0 || !this.goesOn()) return;
      await this.checkRound(blobs, withFolders);
    }
  }

  private async checkSample(share: number): Promise<void> {
    for (let after = ''; ;) {
      const blobs = takeRound(sampleBlobs(this.collection.db, after, share, rowsPerRound));
      if (blobs.length === 0 || !this.goesOn()) return;
      await this.checkRound(blobs, true);
      after = blobs.at(-1)!.digest;
    }
  }

  private async checkRound(blobs: readonly BlobToCheck[], withFolders: boolean): Promise<void> {
    this.note(await checkBlobs(this.collection, this.threads, blobs, this.options.now()));
    if (!withFolders) return;
    const digests = blobs.map((blob) => blob.digest);
    await this.checkSnapshots(snapshotsShowing(this.collection.db, digests));
  }

  private async checkInputs(): Promise<void> {
    for (let after = ''; this.goesOn();) {
      const inputs = crawlInputs(this.collection.db, after, rowsPerRound);
      if (inputs.length === 0) return;
      const blobs = inputs.map((digest: Digest) => ({ digest, size: 0, isSplit: false }));
      this.note(await checkBlobs(this.collection, this.threads, blobs, this.options.now()));
      after = inputs.at(-1)!;
    }
  }

  private async checkFolders(): Promise<void> {
    for (let after = ''; this.goesOn();) {
      const rows = snapshotsAfter(this.collection.db, after, rowsPerRound);
      if (rows.length === 0) return;
      await this.checkSnapshots(rows);
      after = rows.at(-1)!.id;
    }
  }

  private async checkSnapshots(rows: readonly SnapshotRow[]): Promise<void> {
    for (const row of rows) {
      for (const problem of await checkFolder(this.collection, this.threads, row)) {
        // Written to at this moment: the row says so now, and the next run looks again.
        if (findSnapshot(this.collection.db, row.id)?.revision === row.revision) this.tell(problem.kind, problem.file);
      }
    }
  }

  private async findForeignBlobs(): Promise<void> {
    const { layout } = this.collection;
    for (const folder of await entriesOf(layout.blobs())) {
      const names = folder.isDirectory() ? await entriesOf(path.join(layout.blobs(), folder.name)) : [folder];
      for (const entry of names) {
        const file = path.join(entry.parentPath, entry.name);
        if (entry === folder || isForeignName(entry.name, folder.name)) this.tell('unknown', file);
      }
    }
  }

  /** Folders of no snapshot; those of deleted ones are on their way out. */
  private async findForeignFolders(): Promise<void> {
    const { db, layout } = this.collection;
    for (const user of await entriesOf(path.join(layout.archive(), 'users'))) {
      const snapshots = path.join(user.parentPath, user.name, 'snapshots');
      for (const day of await entriesOf(snapshots)) {
        for (const domain of await entriesOf(path.join(snapshots, day.name))) {
          for (const { name } of await entriesOf(path.join(snapshots, day.name, domain.name))) {
            if (findSnapshot(db, name) || isDeleted(db, name)) continue;
            this.tell('unknown', path.join(snapshots, day.name, domain.name, name));
          }
        }
      }
    }
  }

  private note(checked: CheckedBlobs): void {
    this.report.files += checked.files;
    this.report.bytes += checked.bytes;
    for (const { damage, file } of checked.damaged) this.tell(damage, file);
  }

  private tell(kind: VerifyProblem['kind'], file: string): void {
    this.report.problems += 1;
    const relative = path.relative(this.collection.root, file).split(path.sep).join('/');
    this.options.onProblem({ kind, path: relative });
  }

  private goesOn(): boolean {
    if (this.options.isWanted?.() === false) this.report.isComplete = false;
    return this.report.isComplete;
  }
}

function takeRound(blobs: readonly BlobToCheck[]): BlobToCheck[] {
  const taken: BlobToCheck[] = [];
  let bytes = 0;
  for (const blob of blobs) {
    if (bytes > bytesPerRound) break;
    taken.push(blob);
    bytes += blob.size;
  }
  return taken;
}

async function entriesOf(folder: string) {
  try {
    return await fs.readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
