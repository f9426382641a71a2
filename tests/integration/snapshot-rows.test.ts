import { expect, it } from 'vitest';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { countSnapshots, ensureSnapshot } from '../../companion/collection/records/snapshots.ts';
import { trashSnapshot } from '../../companion/collection/records/trash.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

it('gives thousands of pages of one moment a time each, at once, and counts what is not in the trash', async () => {
  const collection = await openCollection(temporaryFolder());
  const { db } = collection;
  const input = await collection.gate.promoteBytes(Buffer.from('text'));
  const facts = { ownerId: collection.owner.id, depth: 0, titleOrigin: 'user' as const, tags: [], notes: '' };
  const rest = { source: 'import' as const, expectedCaptures: [], permissions: 'private' as const };
  const make = (number: number, crawlId?: string) =>
    ensureSnapshot(
      db,
      { ...facts, ...rest, url: `http://a.example/${number}`, crawlId, bookmarkedAt: 1_000, inputDigest: input.digest },
      Date.now(),
    ).row;
  let lookups = 0;
  const first = db.first.bind(db);
  db.first = (query) => {
    lookups += 1;
    return first(query);
  };
  const pages = 3_000;
  const rows = await db.write(() => {
    const one = make(0);
    return [one, ...Array.from({ length: pages - 1 }, (_value, index) => make(index + 1, one.crawl_id))];
  });
  expect(new Set(rows.map((row) => row.timestamp)).size).toBe(pages);
  // Doubling and halving: some two dozen look-ups a page, not one for each page before it.
  expect(lookups / pages).toBeLessThan(40);
  expect(countSnapshots(db)).toBe(pages);
  await db.write(() => trashSnapshot(db, rows[5]!.id, Date.now()));
  db.raw('DELETE FROM snapshot WHERE id = :id', { id: rows[6]!.id });
  expect(countSnapshots(db)).toBe(pages - 2);
  db.raw('UPDATE snapshot SET trashed_at = NULL');
  expect(countSnapshots(db)).toBe(pages - 1);
  collection.close();
});
