import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { folderFacts } from '../../companion/collection/links.ts';
import { findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { announceResult, chunkAddress, type UploadServer } from './upload-server.ts';

export const digestOf = (bytes: Uint8Array): Digest => digestFromHex(createHash('sha256').update(bytes).digest('hex'));

/** A self-contained page with parts large enough to be stored apart. */
export function pageOf(text: string, ...pictures: readonly Buffer[]): Buffer {
  const images = pictures.map((bytes) => `<img src="data:image/png;base64,${bytes.toString('base64')}">`);
  return Buffer.from(`<!doctype html><title>${text}</title><p>${text}</p>${images.join('')}`);
}

export interface KeptFile {
  snapshotId: string;
  resultId: string;
  digest: Digest;
  /** The snapshot's folder. */
  folder: string;
}

/** A snapshot with one file, uploaded as the extension does. */
export async function keepFile(server: UploadServer, bytes: Buffer, name = 'singlefile.html'): Promise<KeptFile> {
  const ids = await announceResult(server.collection, server.request);
  const digest = digestOf(bytes);
  const address = chunkAddress(ids.resultId, { path: name, offset: 0, total: bytes.length, sha256: digest });
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await server.request(address, { method: 'PATCH', headers, body: bytes });
  if (answer.status !== 200) throw new Error(`not kept: ${answer.body.toString()}`);
  const snapshot = findSnapshot(server.collection.db, ids.snapshotId)!;
  const folder = server.collection.layout.snapshot(folderFacts(server.collection, snapshot));
  return { ...ids, digest, folder };
}

/** Names of all blob files and side records. */
export function storedNames(blobs: string): string[] {
  const entries = fs.readdirSync(blobs, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

/** Makes files look as if they had been placed so long ago. */
export function ageFiles(folder: string, ms: number): void {
  const time = new Date(Date.now() - ms);
  for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) fs.utimesSync(path.join(entry.parentPath, entry.name), time, time);
  }
}

export const somePicture = (bytes = 5_000): Buffer => randomBytes(bytes);
