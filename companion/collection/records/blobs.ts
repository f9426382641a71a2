import type { Digest } from '../../../shared/digest/digest.ts';
import { sqlBuilder, type Db } from '../database.ts';
import type { Recipe } from '../split/recipe.ts';

export interface StoredBlob {
  digest: Digest;
  /** Bytes; of the joined page when it is stored split. */
  size: number;
  /** Set when the bytes are stored split. */
  recipe?: Recipe | undefined;
}

/** Notes that the gate has placed a blob, with the parts that must live as long as it does. Call inside `write`. */
export function recordBlob(db: Db, blob: StoredBlob, now: number): void {
  addBlob(db, blob.digest, blob.size, blob.recipe !== undefined, now);
  if (!blob.recipe) return;
  const { skeleton, skeletonSize, parts } = blob.recipe;
  for (const part of [{ digest: skeleton, size: skeletonSize }, ...parts]) {
    addBlob(db, part.digest, part.size, false, now);
    db.run(
      sqlBuilder
        .insertInto('blob_part')
        .values({ whole: blob.digest, part: part.digest })
        .onConflict((on) => on.doNothing()),
    );
  }
}

function addBlob(db: Db, digest: Digest, size: number, isSplit: boolean, now: number): void {
  db.run(
    sqlBuilder
      .insertInto('blob')
      .values({ digest, size, links: 0, created_at: now, is_split: Number(isSplit), checked_at: null, damage: null })
      .onConflict((on) => on.doNothing()),
  );
}
