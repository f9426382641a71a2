import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { ensureFolder, errnoOf } from './durable-files.ts';
import type { FolderFacts, Layout } from './layout.ts';
import type { Collection } from './open-collection.ts';
import { outputsOfResults, resultsOfSnapshots } from './records/results.ts';
import type { OutputRow, SnapshotRow } from './records/tables.ts';

/** One file of a snapshot folder, as its row says. */
export interface OutputLink {
  plugin: string;
  /** Path inside the plugin's folder, with forward slashes. */
  path: string;
  digest: Digest;
}

/** ext4 allows 65 000 names per file; other file systems know no links at all. */
const notLinkable = new Set(['EMLINK', 'EXDEV', 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** What a snapshot's folder is named after. */
export function folderFacts(collection: Pick<Collection, 'owner'>, snapshot: SnapshotRow): FolderFacts {
  return { id: snapshot.id, owner: collection.owner.name, createdAt: snapshot.created_at, url: snapshot.url };
}

/**
 * Shows a recorded output in the snapshot's folder: a hard link to its blob, read-only, or a copy where the file
 * system refuses links. What lay there under this name is replaced as a whole. Repetition is harmless.
 */
export async function linkOutput(layout: Layout, facts: FolderFacts, link: OutputLink): Promise<void> {
  const target = layout.output(facts, link.plugin, link.path);
  const blob = layout.blob(link.digest);
  if (await isSameFile(blob, target)) return;
  await ensureFolder(path.dirname(target));
  const temporary = path.join(path.dirname(target), `.${randomUUID()}.tmp`);
  try {
    await fs.link(blob, temporary);
  } catch (error) {
    if (!notLinkable.has(errnoOf(error))) throw error;
    if (await holdsDigest(target, link.digest)) return;
    await copySynced(blob, temporary);
  }
  await fs.rename(temporary, target);
}

/** Takes an output out of the folder; its blob stays. */
export async function removeLink(
  layout: Layout,
  facts: FolderFacts,
  plugin: string,
  outputPath: string,
): Promise<void> {
  await fs.rm(layout.output(facts, plugin, outputPath), { force: true });
}

/** What a snapshot's folder should hold; where two results name one file, the later one counts. */
export function linksOfSnapshot(collection: Pick<Collection, 'db'>, snapshotId: string): OutputLink[] {
  const results = resultsOfSnapshots(collection.db, [snapshotId]);
  const outputs = outputsOfResults(
    collection.db,
    results.map((result) => result.id),
  );
  const latest = new Map<string, { plugin: string; output: OutputRow }>();
  for (const result of results) {
    for (const output of outputs.get(result.id) ?? []) {
      const name = `${result.plugin}/${output.path}`;
      if ((latest.get(name)?.output.created_at ?? -1) <= output.created_at)
        latest.set(name, { plugin: result.plugin, output });
    }
  }
  return [...latest.values()].map(({ plugin, output }) => ({
    plugin,
    path: output.path,
    digest: output.digest as Digest,
  }));
}

/** Makes the links of a snapshot that a crash left out. Returns the links there should be. */
export async function linkOutputsOfSnapshot(collection: Collection, snapshot: SnapshotRow): Promise<OutputLink[]> {
  const facts = folderFacts(collection, snapshot);
  const links = linksOfSnapshot(collection, snapshot.id);
  for (const link of links) await linkOutput(collection.layout, facts, link);
  return links;
}

async function isSameFile(blob: string, target: string): Promise<boolean> {
  try {
    const [source, present] = await Promise.all([fs.stat(blob), fs.lstat(target)]);
    return source.ino === present.ino && source.dev === present.dev;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

async function holdsDigest(file: string, digest: Digest): Promise<boolean> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
  return digestFromHex(hash.digest('hex')) === digest;
}

async function copySynced(source: string, target: string): Promise<void> {
  await fs.copyFile(source, target);
  await fs.chmod(target, 0o444);
  const handle = await fs.open(target, 'r');
  try {
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
