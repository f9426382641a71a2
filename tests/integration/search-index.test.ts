import Database from 'better-sqlite3';
import fs from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { updateSnapshot } from '../../companion/collection/records/snapshots.ts';
import { replaceTags } from '../../companion/collection/records/tags.ts';
import { createSearch, type Search } from '../../companion/search/search.ts';
import { trashSnapshot } from '../../companion/collection/records/trash.ts';
import { keepPage, keepText } from '../helpers/kept-pages.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

const deadline = { timeout: 15_000, interval: 20 };

async function openEmpty(
  options: { isFollowing?: boolean } = {},
): Promise<{ collection: Collection; search: Search; warnings: string[] }> {
  const collection = await openCollection(temporaryFolder());
  const { search, warnings } = openSearch(collection, options);
  onTestFinished(() => collection.close());
  return { collection, search, warnings };
}

function openSearch(
  collection: Collection,
  options: { isFollowing?: boolean } = {},
): { search: Search; warnings: string[] } {
  const warnings: string[] = [];
  const search = createSearch({
    collection,
    log: { warn: (sentence: unknown) => void warnings.push(String(sentence)) },
    ...options,
  });
  onTestFinished(() => search.close());
  return { search, warnings };
}

const ids = async (search: Search, query: string): Promise<string[]> => (await search.search(query, { limit: 50 })).ids;

test('what is recorded is found without being told, and what goes to the trash is not', async () => {
  const { collection, search } = await openEmpty();
  const id = await keepPage(collection, { title: 'Lighthouse' });
  await vi.waitFor(async () => expect(await ids(search, 'lighthouse')).toEqual([id]), deadline);
  await keepText(collection, id, 'the lamp turns');
  await vi.waitFor(async () => expect(await ids(search, 'lamp')).toEqual([id]), deadline);
  await collection.db.write(() => trashSnapshot(collection.db, id, Date.now()));
  collection.bell.ring();
  await vi.waitFor(async () => expect(await ids(search, 'lamp')).toEqual([]), deadline);
});

test('the best recorded text is indexed, a replaced one is forgotten, edits are followed', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  const id = await keepPage(collection, { title: 'First', tags: ['old'] });
  await keepText(collection, id, 'article only', { plugin: 'readability', path: 'content.txt' });
  await keepText(collection, id, 'unrelated output', { plugin: 'pdf', path: 'content.txt' });
  await search.catchUp();
  expect(await ids(search, 'article')).toEqual([id]);
  expect(await ids(search, 'unrelated')).toEqual([]);
  await keepText(collection, id, 'everything on it', { plugin: 'htmltotext', path: 'htmltotext.txt' });
  await search.catchUp();
  expect(await ids(search, 'everything')).toEqual([id]);
  expect(await ids(search, 'article')).toEqual([]);
  await collection.db.write(() => {
    replaceTags(collection.db, id, ['fresh'], Date.now());
    updateSnapshot(collection.db, id, { title: 'Second', notes: 'remember' }, Date.now());
  });
  await search.catchUp();
  expect(await ids(search, 'second remember everything tag:fresh')).toEqual([id]);
  expect(await ids(search, 'first')).toEqual([]);
  expect(await ids(search, 'tag:old')).toEqual([]);
});

test('a deleted page is removed, also when it went while nobody looked', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  const kept = await keepPage(collection, { title: 'harbour one' });
  const deleted = await keepPage(collection, { title: 'harbour two' });
  await search.catchUp();
  await search.close();
  // Without a tombstone only the comparison of everything can notice.
  await collection.db.write(() => collection.db.raw('DELETE FROM snapshot WHERE id = ?', [deleted]));
  const { search: next } = openSearch(collection);
  await vi.waitFor(async () => expect(await ids(next, 'harbour')).toEqual([kept]), deadline);
});

test('a text recorded without a sign of change is found by the comparison at the next start', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  const id = await keepPage(collection, { title: 'quiet', text: 'before' });
  await search.catchUp();
  await search.close();
  const { digest } = await collection.gate.promoteBytes(Buffer.from('afterwards'));
  await collection.db.write(() => collection.db.raw('UPDATE output SET digest = ?', [digest]));
  const { search: next } = openSearch(collection);
  await vi.waitFor(async () => expect(await ids(next, 'afterwards')).toEqual([id]), deadline);
});

test('a transaction that becomes visible after a later one is not lost', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  await keepPage(collection, { title: 'later' });
  await search.catchUp();
  const id = await keepPage(collection, { title: 'earlier' });
  await collection.db.write(() =>
    collection.db.raw('UPDATE snapshot SET modified_at = modified_at - 50000 WHERE id = ?', [id]),
  );
  await search.catchUp();
  expect(await ids(search, 'earlier')).toEqual([id]);
});

test('an index can be made anew from nothing, and an index of garbage is', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  const id = await keepPage(collection, { title: 'anchor', text: 'rope' });
  await search.catchUp();
  await search.rebuild();
  expect(await ids(search, 'rope')).toEqual([id]);
  await search.close();
  for (const suffix of ['-wal', '-shm']) fs.rmSync(collection.layout.searchDatabase() + suffix, { force: true });
  fs.writeFileSync(collection.layout.searchDatabase(), 'this is no database '.repeat(1_000));
  const { search: next } = openSearch(collection);
  await vi.waitFor(async () => expect(await ids(next, 'rope')).toEqual([id]), deadline);
});

test('an index damaged under the running program is made anew and the question answered', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  const id = await keepPage(collection, { title: 'anchor', text: 'rope '.repeat(5_000) });
  await search.catchUp();
  await search.close();
  const database = new Database(collection.layout.searchDatabase());
  // Averages and structure stay whole, so that opening finds nothing.
  database.unsafeMode(true);
  database.exec('UPDATE page_text_data SET block = zeroblob(20) WHERE id > 10');
  database.close();
  const { search: next, warnings } = openSearch(collection, { isFollowing: false });
  expect(await ids(next, 'rope')).toEqual([id]);
  expect(warnings.join()).toContain('damaged');
});

test('a slow query leaves the server free, and makes room when nobody waits', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  const quick = await keepPage(collection, { title: 'quick', text: 'brook' });
  await search.catchUp();
  const database = new Database(collection.layout.searchDatabase());
  // A tag that is looked for in half a minute of rows, inside one step of SQLite.
  database.exec(`DROP TABLE page_tag; CREATE VIEW page_tag AS
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 150000000)
    SELECT CASE WHEN i < 0 THEN 'slow' ELSE 'other' END AS tag, i AS page_id FROM n`);
  database.close();

  const controller = new AbortController();
  let isAnswered = false;
  const before = process.cpuUsage();
  const slow = search.search('tag:slow', { limit: 5, signal: controller.signal }).finally(() => (isAnswered = true));
  const refused = expect(slow).rejects.toThrow('gone');
  // This thread only looks now and then: what burns is the query.
  await vi.waitUntil(() => process.cpuUsage(before).user > 1_000_000, deadline);
  for (let chunk = 0; chunk < 20; chunk += 1) {
    expect((await collection.gate.promoteBytes(Buffer.alloc(100_000, chunk))).size).toBe(100_000);
  }
  expect(isAnswered).toBe(false);
  controller.abort(new Error('gone'));
  await refused;
  expect(await ids(search, 'brook')).toEqual([quick]);
});

test('when too many pages match, the newest are ranked and the reader is told', async () => {
  const { collection, search } = await openEmpty({ isFollowing: false });
  const first = await keepPage(collection, { title: 'flood', bookmarkedAt: 1_000_000 });
  const template = collection.db.raw<Record<string, unknown>>('SELECT * FROM snapshot WHERE id = ?', [first])[0]!;
  const names = Object.keys(template);
  await collection.db.write(() => {
    for (let index = 0; index < 2_100; index += 1) {
      const id = `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`;
      // All of one millisecond, as in an import without dates: more than one millisecond has ids.
      const row = {
        ...template,
        id,
        timestamp: `t${index}`,
        url: `https://example.org/${index}`,
        bookmarked_at: 2_000_000,
        title: 'flood water',
      };
      collection.db.raw(
        `INSERT INTO snapshot (${names.join()}) VALUES (${names.map((name) => `:${name}`).join()})`,
        row,
      );
    }
  });
  await search.catchUp();
  const answer = await search.search('flood', { limit: 10 });
  expect(answer).toMatchObject({ total: 2_000, isAtLeast: true });
  expect(answer.note).toContain('newest');
  expect(answer.ids).not.toContain(first);
  // One page alone has the word without another beside it, yet it is too old to be ranked; a date finds it.
  expect((await search.search('flood before:1970-01-01', { limit: 10 })).ids).toEqual([]);
  expect((await search.search('flood', { limit: 10, filters: { until: 2_000_000 } })).ids).toEqual([first]);
});
