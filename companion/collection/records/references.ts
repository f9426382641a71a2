import type { Digest } from '../../../shared/digest/digest.ts';
import type { Db } from '../database.ts';

/**
 * Those of the digests that nothing refers to: no output, no crawl's text, no page stored split. A page that is
 * stored split keeps its parts until its own row goes.
 */
export function unreferencedDigests(db: Db, digests: readonly Digest[]): Set<Digest> {
  const rows = db.raw<{ digest: Digest }>(
    `SELECT value AS digest FROM json_each(:digests)
      WHERE NOT EXISTS (SELECT 1 FROM output WHERE output.digest = value)
        AND NOT EXISTS (SELECT 1 FROM crawl WHERE crawl.input = value)
        AND NOT EXISTS (SELECT 1 FROM blob_part WHERE blob_part.part = value)`,
    { digests: JSON.stringify(digests) },
  );
  return new Set(rows.map((row) => row.digest));
}

/** Rows whose digest begins with two hex letters, older than `before`: candidates that may have no file at all. */
export function blobRowsOf(db: Db, letters: string, before: number): Digest[] {
  const rows = db.raw<{ digest: Digest }>(
    `SELECT digest FROM blob WHERE digest >= :from AND digest < :until AND created_at < :before`,
    { from: `sha256:${letters}`, until: `sha256:${letters}g`, before },
  );
  return rows.map((row) => row.digest);
}

/** Forgets blobs; the parts of a page stored split are no longer held by it. Call inside `write`. */
export function dropBlobRows(db: Db, digests: readonly Digest[]): void {
  db.raw(`DELETE FROM blob WHERE digest IN (SELECT value FROM json_each(:digests))`, {
    digests: JSON.stringify(digests),
  });
}
