import fs from 'node:fs/promises';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import type { Db } from '../collection/database.ts';
import { pathFacts, type PathFacts } from '../collection/records/upload-rows.ts';
import type { SnapshotRow } from '../collection/records/tables.ts';

/** All in bytes, except the number of files. */
export interface UploadLimits {
  bodyBytesMax: number;
  fileBytesMax: number;
  filesPerResultMax: number;
  snapshotBytesMax: number;
  freeDiskBytesMin: number;
}

export const defaultUploadLimits: UploadLimits = {
  bodyBytesMax: limits.uploadBodyBytesMax,
  fileBytesMax: limits.uploadFileBytesMax,
  filesPerResultMax: limits.filesPerResultMax,
  snapshotBytesMax: limits.snapshotBytesMax,
  freeDiskBytesMin: limits.freeDiskBytesMin,
};

/** Refuses a body by its announced length, before a byte of it is read. */
export function checkBodySize(bytes: number, allowed: UploadLimits): void {
  if (bytes > allowed.bodyBytesMax) throw bodyTooLarge(allowed);
}

export function bodyTooLarge(allowed: UploadLimits): HoldfastError {
  const sentence = `One request may carry ${allowed.bodyBytesMax} bytes; send the file in smaller chunks.`;
  return tooLarge('body', sentence, allowed.bodyBytesMax);
}

export function checkFileSize(bytes: number, allowed: UploadLimits): void {
  if (bytes <= allowed.fileBytesMax) return;
  throw tooLarge('file', `One file may have ${allowed.fileBytesMax} bytes; this one is larger.`, allowed.fileBytesMax);
}

function tooLarge(limit: 'body' | 'file', sentence: string, max: number): HoldfastError {
  return new HoldfastError('too_large', sentence, { details: { limit, max } });
}

/** Refuses a snapshot that would hold too much; `announced` counts uploads under way. */
export function checkSnapshotSize(
  snapshot: SnapshotRow,
  announced: number,
  bytes: number,
  allowed: UploadLimits,
): void {
  if (snapshot.output_size + announced + bytes <= allowed.snapshotBytesMax) return;
  const sentence = `One page may hold ${allowed.snapshotBytesMax} bytes; with this file it would hold more.`;
  throw new HoldfastError('snapshot_full', sentence, { details: { limit: 'snapshot', max: allowed.snapshotBytesMax } });
}

/** Refuses one file too many, and a path that is a folder and a file at once. */
export function checkPath(db: Db, resultId: string, outputPath: string, allowed: UploadLimits): void {
  const facts = checkClash(db, resultId, outputPath);
  if (facts.otherFiles < allowed.filesPerResultMax) return;
  const sentence = `One result may hold ${allowed.filesPerResultMax} files; this would be one more.`;
  throw new HoldfastError('too_many_files', sentence, { details: { limit: 'files', max: allowed.filesPerResultMax } });
}

/** Refuses a path that would be a folder and a file at once; answers what the result's other paths say. */
export function checkClash(db: Db, resultId: string, outputPath: string): PathFacts {
  const facts = pathFacts(db, resultId, outputPath);
  if (facts.clash === null) return facts;
  throw new HoldfastError(
    'invalid_path',
    `${JSON.stringify(outputPath)} and ${JSON.stringify(facts.clash)} cannot both be files.`,
  );
}

/** Refuses bytes the disk has no room for, leaving the free space that is never given to uploads. */
export async function checkFreeDisk(folder: string, bytes: number, allowed: UploadLimits): Promise<void> {
  const disk = await fs.statfs(folder);
  const free = disk.bavail * disk.bsize;
  if (free - bytes >= allowed.freeDiskBytesMin) return;
  const sentence = 'The disk that holds your collection has no room for this file; free some space and try again.';
  throw new HoldfastError('disk_full', sentence, { details: { limit: 'disk', free } });
}
