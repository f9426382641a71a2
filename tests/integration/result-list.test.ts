import { expect, it } from 'vitest';
import { mergeResult } from '../../companion/collection/records/results.ts';
import { ensureSnapshot, findSnapshot } from '../../companion/collection/records/snapshots.ts';
import { addTags } from '../../companion/collection/records/tags.ts';
import { createLogger } from '../../companion/log/logger.ts';
import { createSearch } from '../../companion/search/search.ts';
import { trashSnapshot } from '../../companion/collection/records/trash.ts';
import { routes } from '../../shared/protocol/routes.ts';
import { keepPage } from '../helpers/kept-pages.ts';
import { temporaryFolder } from '../helpers/temporary-folder.ts';
import { startUploadServer, type UploadServer } from '../helpers/upload-server.ts';

interface Pages {
  server: UploadServer;
  ids: Record<'harbour' | 'forest' | 'trashed', string>;
  /** `plugin of page` of every result that the list answers, in its order. */
  list: (query: Record<string, string>) => Promise<string[]>;
}

/** Three pages with a title and a singlefile each; one of them is in the trash. */
async function setUp(): Promise<Pages> {
  const server = await startUploadServer(temporaryFolder());
  const { collection } = server;
  const harbour = await keepPage(collection, { url: 'https://a.example/harbour', title: 'The harbour at night' });
  const forest = await keepPage(collection, { url: 'https://a.example/forest', title: 'A forest' });
  const trashed = await keepPage(collection, { url: 'https://a.example/old', title: 'An old harbour' });
  const ids = { harbour, forest, trashed };
  for (const id of Object.values(ids)) {
    await collection.db.write(() => {
      const now = Date.now();
      for (const plugin of ['singlefile', 'title']) {
        const key = { snapshotId: id, plugin, hookName: `on_Snapshot__50_${plugin}` };
        mergeResult(collection.db, key, { status: 'succeeded', processId: `process-of-${plugin}` }, now);
      }
      addTags(collection.db, id, id === forest ? ['Trees'] : ['Ships', 'Sea'], now);
    });
  }
  await collection.db.write(() => trashSnapshot(collection.db, trashed, Date.now()));
  const search = createSearch({ collection, log: createLogger('silent', 'test'), isFollowing: false });
  await search.catchUp();
  await search.close();
  const names = new Map(Object.entries(ids).map(([name, id]) => [id, name]));
  const list: Pages['list'] = async (query) => {
    const answer = await server.request(`${routes.results}?${new URLSearchParams(query)}`);
    expect(answer.status, answer.body.toString()).toBe(200);
    const items = answer.json().items as { plugin: string; snapshot_id: string }[];
    return items.map((item) => `${item.plugin} of ${names.get(item.snapshot_id)}`);
  };
  return { server, ids, list };
}

it('lists results by the address and the tags of their page, and leaves out what lies in the trash', async () => {
  const { list } = await setUp();
  const forest = ['title of forest', 'singlefile of forest'];
  const harbour = ['title of harbour', 'singlefile of harbour'];
  expect(await list({})).toEqual([...forest, ...harbour]);
  expect(await list({ snapshot_url: 'https://a.example/forest' })).toEqual(forest);
  expect(await list({ snapshot_url: 'https://a.example/' })).toEqual([]);
  expect(await list({ snapshot_tag: 'ships' })).toEqual(harbour);
  expect(await list({ snapshot_tag: 'Trees', plugin: 'title' })).toEqual(['title of forest']);
  expect(await list({ snapshot_tag: 'none' })).toEqual([]);
  expect(await list({ snapshot_tag: 'sea', snapshot_url: 'https://a.example/forest' })).toEqual([]);
});

it('searches results by words of their page, by plugin and by ids', async () => {
  const { server, ids, list } = await setUp();
  const harbour = ['title of harbour', 'singlefile of harbour'];
  expect(await list({ search: 'harbour' })).toEqual(harbour);
  expect(await list({ search: 'tag:trees' })).toEqual(['title of forest', 'singlefile of forest']);
  expect(await list({ search: 'singlefile' })).toEqual(['singlefile of forest', 'singlefile of harbour']);
  expect(await list({ search: 'harbour', plugin: 'title' })).toEqual(['title of harbour']);
  expect(await list({ search: 'singlefile', plugin: 'title' })).toEqual([]);
  expect(await list({ search: ids.harbour })).toEqual(harbour);
  const one = (await server.request(`${routes.results}?snapshot_id=${ids.forest}&plugin=title`)).json().items[0];
  expect(await list({ search: one.id })).toEqual(['title of forest']);
  expect(await list({ search: 'nothing has this word' })).toEqual([]);
});

it('goes through a search page by page, each result once', async () => {
  const { server, list } = await setUp();
  const first = (await server.request(`${routes.results}?search=a.example&limit=3`)).json();
  expect(first.items).toHaveLength(3);
  const rest = await list({ search: 'a.example', limit: '3', cursor: first.next });
  expect(rest).toEqual(['singlefile of harbour']);
  expect(await list({ search: 'a.example', limit: '3', offset: '3' })).toEqual(rest);
});

it('finds the results of a tag that thousands of pages have', async () => {
  const { server, ids, list } = await setUp();
  const { db, owner } = server.collection;
  await db.write(() => {
    const page = { ownerId: owner.id, depth: 0, titleOrigin: 'user', notes: '', source: 'companion' } as const;
    const rest = { expectedCaptures: [], permissions: 'private', inputDigest: '' } as const;
    const crawlId = findSnapshot(db, ids.forest)!.crawl_id;
    for (let index = 0; index < 2_100; index += 1) {
      ensureSnapshot(
        db,
        { ...page, ...rest, crawlId, url: `https://b.example/${index}`, bookmarkedAt: index, tags: ['Sea'] },
        Date.now(),
      );
    }
  });
  expect(await list({ snapshot_tag: 'sea' })).toEqual(['title of harbour', 'singlefile of harbour']);
});

it.each<Record<string, string>>([
  { snapshot_url: 'https://a.example/forest' },
  { snapshot_tag: 'ships' },
  { search: 'harbour' },
  { plugin: 'title' },
  { status: 'succeeded' },
  { hook_name: 'on_Snapshot__50_title' },
  { process_id: 'process-of-title' },
  { snapshot_tag: 'ships', status: 'succeeded' },
])('is served by an index: %j', async (query) => {
  const { server, list } = await setUp();
  server.takeStatements();
  expect(await list(query)).not.toEqual([]);
  const selects = server.takeStatements().filter(({ sql }) => /^select/i.test(sql) && /archive_result/.test(sql));
  expect(selects).not.toEqual([]);
  for (const { sql } of selects) {
    const plan = server.collection.db.raw<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`);
    const scans = plan.map(({ detail }) => detail).filter((detail) => /^SCAN (?!json_each)/.test(detail));
    expect(scans, sql).toEqual([]);
  }
});
