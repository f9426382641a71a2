import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { ensureFolder, errnoOf } from './durable-files.ts';
import { filesBelow } from './folders.ts';
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

/** The stores that links are made between. */
type Stores = Pick<Collection, 'layout' | 'blobs'>;

/**
 * The files that show an output in the snapshot's folder: itself, or for a page that is stored split its skeleton and,
 * in a folder beside it, its parts.
 */
export async function filesOfLink(stores: Stores, link: OutputLink): Promise<OutputLink[]> {
  const recipe = await stores.blobs.recipe(link.digest);
  if (!recipe) return [link];
  const folder = path.posix.join(path.posix.dirname(link.path), recipe.folder);
  const parts = new Map(recipe.parts.map((part) => [part.name, part.digest]));
  return [
    { ...link, digest: recipe.skeleton },
    ...[...parts].map(([name, digest]) => ({ plugin: link.plugin, path: path.posix.join(folder, name), digest })),
  ];
}

/**
 * Shows a recorded output in the snapshot's folder: hard links to its blobs, read-only, or copies where the file
 * system refuses links. What lay there under these names is replaced as a whole. Repetition is harmless.
 */
export async function linkOutput(stores: Stores, facts: FolderFacts, link: OutputLink): Promise<OutputLink[]> {
  const files = await filesOfLink(stores, link);
  // The page itself comes last: whoever finds it finds its parts.
  for (const file of [...files].reverse()) await linkFile(stores.layout, facts, file);
  return files;
}

async function linkFile(layout: Layout, facts: FolderFacts, link: OutputLink): Promise<void> {
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

export interface ShownOutputs {
  /** One for each output. */
  links: OutputLink[];
  /** The files that show them. */
  files: OutputLink[];
}

/** Makes the links of a snapshot that a crash left out and takes away parts of pages that are no longer there. */
export async function linkOutputsOfSnapshot(collection: Collection, snapshot: SnapshotRow): Promise<ShownOutputs> {
  const facts = folderFacts(collection, snapshot);
  const links = linksOfSnapshot(collection, snapshot.id);
  const files = new Map<string, OutputLink>();
  for (const link of links) {
    for (const file of await linkOutput(collection, facts, link)) files.set(`${file.plugin}/${file.path}`, file);
  }
  await sweepParts(collection.layout.snapshot(facts), files);
  return { links, files: [...files.values()] };
}

/** Removes parts that no shown page has: a path got new bytes, or its output went. */
async function sweepParts(folder: string, files: ReadonlyMap<string, OutputLink>): Promise<void> {
  for (const entry of await filesBelow(folder)) {
    const name = path.relative(folder, entry).split(path.sep).join('/');
    if (PART_NAME.test(name) && !files.has(name)) await fs.rm(entry, { force: true });
  }
}

const PART_NAME = /\/parts-[0-9a-f]{8}\/x[0-9a-f]{64}\.[a-z0-9]+$/;

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
