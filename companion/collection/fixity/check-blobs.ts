import { existsSync } from 'node:fs';
import type { Digest } from '../../../shared/digest/digest.ts';
import type { Collection } from '../open-collection.ts';
import { noteChecks, type BlobToCheck } from '../records/fixity.ts';
import { unreferencedDigests } from '../records/references.ts';
import type { FixityThreads } from './fixity-threads.ts';
import type { Damage, Look } from './look.ts';

type Store = Pick<Collection, 'db' | 'layout'>;

export interface CheckedBlobs {
  damaged: { digest: Digest; file: string; damage: NonNullable<Damage> }[];
  files: number;
  bytes: number;
}

/** Looks given to a thread at one time: few enough that all threads end together. */
const looksPerBatch = 16;

/** Re-reads these blobs, joined pages as a whole, and notes in their rows when that was and what was wrong. */
export async function checkBlobs(
  store: Store,
  threads: FixityThreads,
  blobs: readonly BlobToCheck[],
  now: number,
): Promise<CheckedBlobs> {
  const looks = blobs.map((blob) => lookOf(store, blob));
  const damages: Damage[] = Array.from({ length: looks.length });
  let bytes = 0;
  const starts = looks.map((_look, index) => index).filter((index) => index % looksPerBatch === 0);
  await Promise.all(
    starts.map(async (start) => {
      const answer = await threads.look(looks.slice(start, start + looksPerBatch));
      bytes += answer.bytes;
      for (const [index, damage] of answer.damages.entries()) damages[start + index] = damage;
    }),
  );
  const suspects = looks.flatMap((look, index) => (damages[index] ? [{ look, index }] : []));
  const forgotten = unreferencedDigests(
    store.db,
    suspects.map(({ look }) => look.digest),
  );
  for (const { look, index } of suspects) {
    // Deleted meanwhile, or away from its name while prune looked at it.
    if (forgotten.has(look.digest)) damages[index] = undefined;
    else if (damages[index] === 'missing') damages[index] = (await threads.look([look])).damages[0];
  }
  await store.db.write(() =>
    noteChecks(
      store.db,
      looks.map((look, index) => ({ digest: look.digest, damage: damages[index] ?? null })),
      now,
    ),
  );
  const damaged = looks.flatMap(({ digest, file }, index) => {
    const damage = damages[index];
    return damage ? [{ digest, file, damage }] : [];
  });
  return { damaged, files: looks.length, bytes };
}

/** The way the store reads it: the whole file where there is one, else skeleton and parts. */
function lookOf({ layout }: Store, { digest, isSplit }: Pick<BlobToCheck, 'digest' | 'isSplit'>): Look {
  const file = layout.blob(digest);
  const sideRecord = layout.blobRecipe(digest);
  if (existsSync(file) || !(isSplit || existsSync(sideRecord))) return { digest, file };
  return { digest, file: sideRecord, joinedIn: layout.blobs() };
}

/** Names in the store's folders that are none of ours. */
export function isForeignName(name: string, letters: string): boolean {
  const hex = /^([0-9a-f]{64})(\.parts(\.[\w-]+\.tmp)?)?$/.exec(name)?.[1];
  return hex === undefined || !hex.startsWith(letters);
}
