import fs from 'node:fs/promises';
import path from 'node:path';
import { digestFromHex, digestHex, parseDigest, type Digest } from '../../../shared/digest/digest.ts';
import { limits } from '../../../shared/limits.ts';
import { errnoOf } from '../durable-files.ts';
import { namesIn } from '../folders.ts';
import { sideRecordSuffix } from './blob-folder.ts';
import { asidePrefix, type Layout } from '../layout.ts';
import type { Collection } from '../open-collection.ts';
import { blobRowsOf, dropBlobRows, unreferencedDigests } from '../records/references.ts';

export interface PruneOptions {
  now: number;
  /** Asked between batches; what was begun is finished. */
  isWanted?: () => boolean;
}

export interface Pruned {
  blobs: number;
  bytes: number;
}

type Store = Pick<Collection, 'db' | 'layout'>;

/** Small, because a blob that turns out to be wanted is away from its name for as long as its batch takes. */
const batchSize = 32;

/**
 * Removes blobs that nothing refers to and that were placed more than a day ago (DESIGN section 5): renamed aside,
 * looked for in an immediate transaction, then unlinked or put back. Safe beside uploads and beside another prune.
 */
export async function pruneBlobs(store: Store, options: PruneOptions): Promise<Pruned> {
  await putBackAsides(store);
  await sweepStaging(store.layout, options.now);
  const announced = await announcedDigests(store.layout);
  const total: Pruned = { blobs: 0, bytes: 0 };
  // Parts are held by their page: when pages went, their parts go in a second round.
  for (let hadPages = true; hadPages;) {
    hadPages = false;
    for (let folder = 0; folder < 256; folder += 1) {
      if (options.isWanted?.() === false) return total;
      const round = await pruneFolder(store, folder.toString(16).padStart(2, '0'), announced, options.now);
      total.blobs += round.blobs;
      total.bytes += round.bytes;
      hadPages ||= round.pages > 0;
    }
  }
  return total;
}

async function pruneFolder(
  store: Store,
  letters: string,
  announced: ReadonlySet<Digest>,
  now: number,
): Promise<Pruned & { pages: number }> {
  const before = now - limits.blobUnreferencedMs;
  const files = await listBlobFolder(path.join(store.layout.blobs(), letters), before);
  const digests = [...new Set([...files, ...blobRowsOf(store.db, letters, before)])];
  const candidates = [...unreferencedDigests(store.db, digests)].filter((digest) => !announced.has(digest));
  const total = { blobs: 0, bytes: 0, pages: 0 };
  for (let start = 0; start < candidates.length; start += batchSize) {
    const removed = await pruneBatch(store, candidates.slice(start, start + batchSize), before);
    for (const file of removed) {
      total.blobs += 1;
      total.bytes += file.size;
      if (file.name.endsWith(sideRecordSuffix)) total.pages += 1;
    }
  }
  return total;
}

interface Aside {
  digest: Digest;
  /** Hex, with the suffix of a side record. */
  name: string;
  size: number;
}

async function pruneBatch(store: Store, digests: readonly Digest[], before: number): Promise<Aside[]> {
  const { db, layout } = store;
  const asides: Aside[] = [];
  const fresh = new Set<Digest>();
  await fs.mkdir(layout.blobStaging(), { recursive: true });
  for (const digest of digests) {
    for (const name of [digestHex(digest), `${digestHex(digest)}${sideRecordSuffix}`]) {
      const aside = await setAside(layout, digest, name, before);
      if (aside === 'fresh') fresh.add(digest);
      else if (aside) asides.push(aside);
    }
  }
  const old = digests.filter((digest) => !fresh.has(digest));
  const unwanted = await db.write(() => {
    const found = unreferencedDigests(db, old);
    dropBlobRows(db, [...found]);
    return found;
  });
  const removed: Aside[] = [];
  for (const aside of asides) {
    if (unwanted.has(aside.digest)) {
      await fs.rm(layout.blobAside(aside.name), { force: true });
      removed.push(aside);
    } else await putBack(layout, aside.name);
  }
  return removed;
}

/** Undefined when there is no such file; `fresh` when the gate placed it within the day, also at this very moment. */
async function setAside(
  layout: Layout,
  digest: Digest,
  name: string,
  before: number,
): Promise<Aside | 'fresh' | undefined> {
  const file = path.join(path.dirname(layout.blob(digest)), name);
  const aside = layout.blobAside(name);
  try {
    if ((await fs.stat(file)).mtimeMs >= before) return 'fresh';
    await fs.rename(file, aside);
    const { mtimeMs, size } = await fs.stat(aside);
    if (mtimeMs < before) return { digest, name, size };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  await putBack(layout, name);
  return 'fresh';
}

/** By a link, so that a copy the gate placed meanwhile stays; by a rename where there are no links. */
async function putBack(layout: Layout, name: string): Promise<void> {
  const aside = layout.blobAside(name);
  const file = path.join(layout.blobs(), name.slice(0, 2), name);
  try {
    await fs.link(aside, file);
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return;
    if (code !== 'EEXIST') {
      await fs.rename(aside, file);
      return;
    }
  }
  await fs.rm(aside, { force: true });
}

/** What a prune that died had set aside goes back to its name; the next look decides about it. */
async function putBackAsides({ layout }: Pick<Store, 'layout'>): Promise<void> {
  for (const name of await namesIn(layout.blobStaging())) {
    if (name.startsWith(asidePrefix)) await putBack(layout, name.slice(asidePrefix.length));
  }
}

/** Copies whose way into the store was cut off more than a day ago. */
async function sweepStaging(layout: Layout, now: number): Promise<void> {
  const names = (await namesIn(layout.blobStaging())).filter((name) => !name.startsWith(asidePrefix));
  for (const name of names) await removeIfOld(path.join(layout.blobStaging(), name), now - limits.blobUnreferencedMs);
}

/** Digests of uploads that are complete but not recorded yet: a crash may lie between them and their rows. */
async function announcedDigests(layout: Layout): Promise<Set<Digest>> {
  const digests = new Set<Digest>();
  for (const id of await namesIn(layout.uploads())) {
    const [text] = await Promise.allSettled([fs.readFile(path.join(layout.upload(id), 'upload.json'), 'utf8')]);
    if (text.status === 'rejected') continue;
    for (const [match] of text.value.matchAll(/sha256:[0-9a-f]{64}/g)) digests.add(parseDigest(match)!);
  }
  return digests;
}

/** Digests with a file here. Temporary files of a side record that were never renamed go on the way. */
async function listBlobFolder(folder: string, before: number): Promise<Digest[]> {
  const digests: Digest[] = [];
  for (const name of await namesIn(folder)) {
    const hex = /^([0-9a-f]{64})(\.parts)?$/.exec(name)?.[1];
    if (hex !== undefined) digests.push(digestFromHex(hex));
    else if (name.endsWith('.tmp')) await removeIfOld(path.join(folder, name), before);
  }
  return digests;
}

async function removeIfOld(file: string, before: number): Promise<void> {
  const [stat] = await Promise.allSettled([fs.stat(file)]);
  if (stat.status === 'fulfilled' && stat.value.mtimeMs < before) await fs.rm(file, { force: true });
}
