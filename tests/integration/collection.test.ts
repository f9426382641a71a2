import { expect, onTestFinished, test } from 'vitest';
import { openCollection, type Collection } from '../../companion/collection/open-collection.ts';
import { findCrawl } from '../../companion/collection/records/crawls.ts';
import { mergeResult, outstandingCaptures, recordOutputs } from '../../companion/collection/records/results.ts';
import {
  ensureSnapshot,
  listSnapshots,
  requireSnapshot,
  setTitle,
  type NewSnapshot,
} from '../../companion/collection/records/snapshots.ts';
import { addTags, tagsOfSnapshots } from '../../companion/collection/records/tags.ts';
import { trashSnapshot } from '../../companion/collection/records/trash.ts';
import { uploadHookName } from '../../shared/model/states.ts';
import { newId } from '../../shared/model/ids.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';

async function open(folder = temporaryFolder()): Promise<Collection> {
  const collection = await openCollection(folder);
  onTestFinished(() => collection.close());
  return collection;
}

async function wanted(collection: Collection, overrides: Partial<NewSnapshot> = {}): Promise<NewSnapshot> {
  const input = await collection.gate.promoteBytes(Buffer.from('https://example.org/\n'));
  return {
    url: 'https://example.org/',
    ownerId: collection.owner.id,
    depth: 0,
    titleOrigin: 'browser',
    tags: [],
    notes: '',
    source: 'browser',
    expectedCaptures: ['a', 'b'],
    bookmarkedAt: Date.now(),
    permissions: 'private',
    inputDigest: input.digest,
    ...overrides,
  };
}

const make = async (collection: Collection, overrides: Partial<NewSnapshot> = {}, now = Date.now()) => {
  const input = await wanted(collection, overrides);
  return collection.db.write(() => ensureSnapshot(collection.db, input, now));
};

test('two processes that open an empty folder at once share one owner and machine', async () => {
  const folder = temporaryFolder();
  const [first, second] = await Promise.all([open(folder), open(folder)]);
  expect(first.owner).toEqual(second.owner);
  expect(first.machineId).toBe(second.machineId);
});

test('the same id answers the same row, a second one makes another snapshot of the address', async () => {
  const collection = await open();
  const id = newId();
  const first = await make(collection, { id });
  const again = await make(collection, { id, tags: ['later'] });
  const other = await make(collection);
  expect(first.created && !again.created && other.created).toBe(true);
  expect(again.row.id).toBe(id);
  expect(other.row.id).not.toBe(id);
  expect(other.row.timestamp).not.toBe(first.row.timestamp);
  expect(listSnapshots(collection.db, {}, 10)).toHaveLength(2);
});

test('an id that was deleted answers "deleted" for ever', async () => {
  const collection = await open();
  const id = newId();
  await make(collection, { id });
  await collection.db.write(() => trashSnapshot(collection.db, id, Date.now()));
  await expect(make(collection, { id })).rejects.toMatchObject({ code: 'deleted' });
  expect(() => requireSnapshot(collection.db, id)).toThrow(expect.objectContaining({ code: 'deleted' }));
  expect(listSnapshots(collection.db, {}, 10)).toHaveLength(0);
});

test("the user's title beats the browser's, which beats a hook's, in every order", async () => {
  const collection = await open();
  const { row } = await make(collection);
  const set = (text: string, origin: 'hook' | 'browser' | 'user') =>
    collection.db.write(() => setTitle(collection.db, row.id, text, origin, Date.now()));
  const title = () => requireSnapshot(collection.db, row.id);
  await set('from a hook', 'hook');
  expect(title()).toMatchObject({ title: 'from a hook', title_origin: 'hook' });
  await set('from the user', 'user');
  await set('from the browser', 'browser');
  await set('from a hook again', 'hook');
  expect(title()).toMatchObject({ title: 'from the user', title_origin: 'user' });
  await set('from the user, mended', 'user');
  await set('  \n ', 'user');
  expect(title()).toMatchObject({ title: 'from the user, mended', title_origin: 'user' });
});

test('a browser snapshot waits a day at a time until its last capture has its final word', async () => {
  const collection = await open();
  const { db } = collection;
  const now = Date.now();
  const { row } = await make(collection, {}, now);
  const key = (plugin: string) => ({ snapshotId: row.id, plugin, hookName: uploadHookName });
  expect(row.due_at).toBeGreaterThan(now + 23 * 3600_000);
  await db.write(() => mergeResult(db, key('a'), { status: 'started' }, now + 1));
  await db.write(() => mergeResult(db, key('a'), { status: 'failed', error: 'interrupted' }, now + 2));
  expect(outstandingCaptures(db, requireSnapshot(db, row.id))).toEqual(['b']);
  expect(requireSnapshot(db, row.id).due_at).toBe(row.due_at);
  await db.write(() => mergeResult(db, key('b'), { status: 'succeeded' }, now + 3));
  expect(requireSnapshot(db, row.id).due_at).toBe(now + 3);
  expect(findCrawl(db, row.crawl_id)?.due_at).toBe(now + 3);
});

test('"started" never lowers a result that is further, and an equal merge leaves the row alone', async () => {
  const collection = await open();
  const { db } = collection;
  const { row } = await make(collection);
  const key = { snapshotId: row.id, plugin: 'a', hookName: uploadHookName };
  const done = await db.write(() => mergeResult(db, key, { status: 'succeeded', outputStr: 'x' }, 1));
  const again = await db.write(() => mergeResult(db, key, { status: 'started' }, 2));
  expect(again).toEqual(done);
});

test('the size of a snapshot follows its outputs, also when a path gets other bytes', async () => {
  const collection = await open();
  const { db, gate } = collection;
  const { row } = await make(collection);
  const key = { snapshotId: row.id, plugin: 'a', hookName: uploadHookName };
  const record = async (text: string) => {
    const blob = await gate.promoteBytes(Buffer.from(text));
    const output = { path: 'x.txt', size: blob.size, mimetype: 'text/plain', declaredType: '', digest: blob.digest };
    return db.write(() => recordOutputs(db, key, [output], { status: 'succeeded' }, Date.now()));
  };
  const first = await record('12345');
  expect(first.output_str).toBe('x.txt');
  await record('1234567');
  expect(requireSnapshot(db, row.id)).toMatchObject({ output_size: 7, inputs_revision: 2 });
});

test('tags keep their first spelling and are found without case', async () => {
  const collection = await open();
  const { row } = await make(collection);
  await collection.db.write(() => addTags(collection.db, row.id, ['  Été ', 'ÉTÉ', '', 'x'.repeat(200)], Date.now()));
  const tags = tagsOfSnapshots(collection.db, [row.id]).get(row.id)!;
  expect(tags[0]).toBe('Été');
  expect(tags).toHaveLength(2);
  expect(tags[1]).toHaveLength(100);
  expect(listSnapshots(collection.db, { tag: 'été' }, 5)).toHaveLength(1);
});

test('a database of a newer program is refused with what to do', async () => {
  const folder = temporaryFolder();
  const collection = await openCollection(folder);
  collection.db.connection.pragma('user_version = 99');
  collection.close();
  await expect(openCollection(folder)).rejects.toMatchObject({ code: 'version_mismatch' });
});

test('a write waits for another connection and never says that the database is locked', async () => {
  const folder = temporaryFolder();
  const [first, second] = [await open(folder), await open(folder)];
  first.db.connection.exec('BEGIN IMMEDIATE');
  const waiting = make(second);
  await new Promise((resolve) => setImmediate(resolve));
  first.db.connection.exec('COMMIT');
  expect((await waiting).created).toBe(true);
});
