import { sqlBuilder, type Db } from '../database.ts';
import { parseObject } from './common.ts';
import { requireSnapshot, updateSnapshot } from './snapshots.ts';

/**
 * "Fetch it yourself": the companion stops waiting for the browser and may use the network for this page. Nothing
 * else ever does that for a page the browser announced (DESIGN section 4). Call inside `write`.
 */
export function fetchItself(db: Db, id: string, now: number): void {
  const row = requireSnapshot(db, id);
  const config = JSON.stringify({ ...parseObject(row.config), FETCH: true });
  updateSnapshot(db, id, { expected_captures: '[]', config, due_at: now }, now);
  wakeCrawl(db, row.crawl_id, now);
}

function wakeCrawl(db: Db, crawlId: string, now: number): void {
  db.run(
    sqlBuilder
      .updateTable('crawl')
      .set((e) => ({ due_at: now, modified_at: now, revision: e('revision', '+', 1) }))
      .where('id', '=', crawlId)
      .where('status', 'in', ['queued', 'started']),
  );
}
