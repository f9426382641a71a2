import { createHash } from 'node:crypto';
import { digestHex, type Digest } from '../../shared/digest/digest.ts';
import { folderFacts, linkOutput, linksOfSnapshot, type OutputLink } from './links.ts';
import type { Collection } from './open-collection.ts';
import { holdsGeneration, type Lease } from './records/leases.ts';
import { findOutput, findResultByKey, mergeResult, recordOutputs } from './records/results.ts';
import { requireSnapshot } from './records/snapshots.ts';

const plugin = 'hashes';
const hookName = 'on_Snapshot__93_hashes';
const fileName = 'hashes.json';

/**
 * The `hashes` result of a snapshot, made from recorded digests without reading a byte: the SHA-256 of each file and,
 * for each folder, of the sorted lines `<sha>  ./<name>` of what it holds (reference section 8). True when a new file
 * was recorded; the same content again records nothing. Fenced by the lease.
 */
export async function writeHashes(collection: Collection, lease: Lease): Promise<boolean> {
  const { db } = collection;
  const key = { snapshotId: lease.id, plugin, hookName };
  const links = linksOfSnapshot(collection, lease.id).filter((link) => link.plugin !== plugin);
  if (links.length === 0) return false;
  const text = hashesText(links);
  const promoted = await collection.gate.promoteBytes(Buffer.from(text, 'utf8'));
  const recorded = await db.write(() => {
    if (!holdsGeneration(db, lease)) return false;
    const before = findResultByKey(db, key);
    if (before && findOutput(db, before.id, fileName)?.digest === promoted.digest) return false;
    const now = Date.now();
    const output = { path: fileName, ...promoted, mimetype: 'application/json', declaredType: '' };
    recordOutputs(
      db,
      key,
      [output],
      { status: 'succeeded', origin: 'derived', error: null, startedAt: now, endedAt: now },
      now,
    );
    mergeResult(db, key, { outputStr: fileName }, now);
    return true;
  });
  if (recorded) {
    const facts = folderFacts(collection, requireSnapshot(db, lease.id));
    await linkOutput(collection, facts, { plugin, path: fileName, digest: promoted.digest });
  }
  return recorded;
}

function hashesText(links: readonly OutputLink[]): string {
  const files: Record<string, string> = {};
  for (const link of [...links].sort((a, b) => compare(nameOf(a), nameOf(b)))) {
    files[nameOf(link)] = digestHex(link.digest satisfies Digest);
  }
  const folders = hashFolders(files);
  return `${JSON.stringify({ algorithm: 'sha256', root_hash: folders['.'], files, folders }, null, 2)}\n`;
}

/** Hashes folders from the deepest up; a folder's line in its parent is its own hash. */
function hashFolders(files: Readonly<Record<string, string>>): Record<string, string> {
  const children = new Map<string, Map<string, string>>([['.', new Map()]]);
  const childrenOf = (folder: string): Map<string, string> => {
    let entries = children.get(folder);
    if (!entries) {
      entries = new Map();
      children.set(folder, entries);
      if (folder !== '.') childrenOf(parentOf(folder));
    }
    return entries;
  };
  for (const [name, hash] of Object.entries(files)) childrenOf(parentOf(name)).set(baseOf(name), hash);
  const byDepth = [...children.keys()].sort((a, b) => depthOf(b) - depthOf(a) || compare(a, b));
  const hashes: Record<string, string> = {};
  for (const folder of byDepth) {
    const lines = [...(children.get(folder) ?? [])]
      .sort(([a], [b]) => compare(a, b))
      .map(([name, hash]) => `${hash}  ./${name}\n`);
    hashes[folder] = createHash('sha256').update(lines.join('')).digest('hex');
    if (folder !== '.') childrenOf(parentOf(folder)).set(baseOf(folder), hashes[folder]);
  }
  return Object.fromEntries(Object.entries(hashes).sort(([a], [b]) => compare(a, b)));
}

function nameOf(link: OutputLink): string {
  return `${link.plugin}/${link.path}`;
}

function parentOf(name: string): string {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? '.' : name.slice(0, slash);
}

function baseOf(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

function depthOf(folder: string): number {
  return folder === '.' ? 0 : folder.split('/').length;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
