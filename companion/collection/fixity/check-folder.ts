import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { filesBelow } from '../folders.ts';
import { manifestText } from '../index-file.ts';
import { indexFileNames } from '../layout.ts';
import { filesOfLink, folderFacts, linksOfSnapshot, type OutputLink } from '../links.ts';
import type { Collection } from '../open-collection.ts';
import type { SnapshotRow } from '../records/tables.ts';
import { partsFolder } from '../split/recipe.ts';
import type { FixityThreads } from './fixity-threads.ts';
import type { Look } from './look.ts';

export interface FolderProblem {
  kind: 'missing' | 'changed' | 'unreadable' | 'unknown';
  file: string;
}

/**
 * Compares a snapshot's folder with its rows: every link there and the same file as its blob or equal to it, the
 * manifest the one the rows make, nothing besides. What maintenance is still to write is not looked for.
 */
export async function checkFolder(
  collection: Collection,
  threads: FixityThreads,
  snapshot: SnapshotRow,
): Promise<FolderProblem[]> {
  const folder = collection.layout.snapshot(folderFacts(collection, snapshot));
  const { files: expected, unclear } = await expectedFiles(collection, snapshot);
  const problems = await checkLinks(collection, threads, folder, expected);
  const isSettled = snapshot.index_stale === 0 && snapshot.lease_owner === null;
  if (!isSettled) return problems.filter(({ kind }) => kind === 'changed' || kind === 'unreadable');
  if (expected.length > 0 && unclear.length === 0) problems.push(...(await checkIndexFiles(folder, expected)));
  const known = new Set(expected.map(({ plugin, path: name }) => `${plugin}/${name}`));
  for (const file of await filesBelow(folder)) {
    const name = path.relative(folder, file).split(path.sep).join('/');
    const isOurs = known.has(name) || isIndexFile(name) || unclear.some((start) => name.startsWith(start));
    if (!isOurs && !name.endsWith('.tmp')) problems.push({ kind: 'unknown', file });
  }
  return problems;
}

interface Expected {
  files: OutputLink[];
  /** Beginnings of names of a page whose side record is damaged: the store's own problem, already named there. */
  unclear: string[];
}

async function expectedFiles(collection: Collection, snapshot: SnapshotRow): Promise<Expected> {
  const expected: Expected = { files: [], unclear: [] };
  for (const link of linksOfSnapshot(collection, snapshot.id)) {
    const isReadable = (await collection.blobs.size(link.digest)) !== undefined;
    if (!isReadable && existsSync(collection.layout.blobRecipe(link.digest))) {
      const name = `${link.plugin}/${link.path}`;
      expected.unclear.push(name, `${path.posix.dirname(name)}/${partsFolder(link.digest)}/`);
    } else expected.files.push(...(await filesOfLink(collection, link)));
  }
  return expected;
}

async function checkLinks(
  { layout }: Collection,
  threads: FixityThreads,
  folder: string,
  expected: readonly OutputLink[],
): Promise<FolderProblem[]> {
  const problems: FolderProblem[] = [];
  const copies: Look[] = [];
  for (const link of expected) {
    const file = path.join(folder, link.plugin, ...link.path.split('/'));
    const state = await compareInodes(layout.blob(link.digest), file);
    if (state === 'missing') problems.push({ kind: 'missing', file });
    else if (state === 'other') copies.push({ digest: link.digest, file });
  }
  const { damages } = copies.length === 0 ? { damages: [] } : await threads.look(copies);
  for (const [index, damage] of damages.entries())
    if (damage) problems.push({ kind: damage, file: copies[index]!.file });
  return problems;
}

async function compareInodes(blob: string, file: string): Promise<'same' | 'other' | 'missing'> {
  const [stored, shown] = await Promise.allSettled([fs.stat(blob), fs.lstat(file)]);
  if (shown.status === 'rejected') return 'missing';
  const isSame =
    stored.status === 'fulfilled' && stored.value.ino === shown.value.ino && stored.value.dev === shown.value.dev;
  return isSame ? 'same' : 'other';
}

async function checkIndexFiles(folder: string, expected: readonly OutputLink[]): Promise<FolderProblem[]> {
  const problems: FolderProblem[] = [];
  const manifest = path.join(folder, indexFileNames.manifest);
  const [text] = await Promise.allSettled([fs.readFile(manifest, 'utf8')]);
  if (text.status === 'rejected') problems.push({ kind: 'missing', file: manifest });
  else if (text.value !== manifestText(expected)) problems.push({ kind: 'changed', file: manifest });
  for (const name of [indexFileNames.records, indexFileNames.page]) {
    const file = path.join(folder, name);
    const [stat] = await Promise.allSettled([fs.stat(file)]);
    if (stat.status === 'rejected') problems.push({ kind: 'missing', file });
  }
  return problems;
}

function isIndexFile(name: string): boolean {
  return Object.values(indexFileNames).some((known) => known === name);
}
