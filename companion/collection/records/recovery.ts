import { countPhrase } from '../../../shared/words/amounts.ts';
import type { Db } from '../database.ts';
import type { WorkScope } from './due-work.ts';

/** Said by a result whose hook was cut off by the end of its runner; such a hook runs again. */
export const interruptedSentence = 'The companion ended before this step did; it runs again.';

/** One named repair is one statement and one sentence (DESIGN section 4, "Recovery"). */
export interface Repair {
  name: string;
  table: 'snapshot' | 'crawl' | 'archive_result';
  /** Binds `:now` and, where it names it, `:interrupted`. A second run changes nothing. */
  statement: string;
  sentence: (count: number) => string;
}

const ownerIsGone = (table: string): string => `${table}.lease_owner IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM process WHERE process.id = ${table}.lease_owner AND process.status = 'running')`;

const touch = 'modified_at = :now, revision = revision + 1';

export const interruptedResults: Repair = {
  name: 'interrupted_results',
  table: 'archive_result',
  statement: `UPDATE archive_result SET status = 'failed', error = :interrupted, ended_at = :now, ${touch}
    WHERE status = 'started' AND process_id IS NOT NULL AND NOT EXISTS
      (SELECT 1 FROM process WHERE process.id = archive_result.process_id AND process.status = 'running')`,
  sentence: (count) => `${countPhrase(count, 'step')} had been interrupted and will run again.`,
};

/**
 * Repairs unlock scheduling; the runner makes the transitions. Results without a process belong to an upload and are
 * never touched by these rules.
 */
export const repairs: readonly Repair[] = [
  interruptedResults,
  {
    name: 'lost_snapshot_leases',
    table: 'snapshot',
    statement: `UPDATE snapshot SET lease_owner = NULL, lease_expires_at = NULL, due_at = :now, ${touch}
      WHERE status IN ('started', 'sealed') AND due_at IS NOT NULL AND ${ownerIsGone('snapshot')} AND NOT EXISTS
        (SELECT 1 FROM process AS hook WHERE hook.snapshot_id = snapshot.id AND hook.status = 'running' AND hook.type = 'hook')`,
    sentence: (count) => `${countPhrase(count, 'page')} had lost the runner that worked on them and will go on.`,
  },
  {
    name: 'lost_crawl_leases',
    table: 'crawl',
    statement: `UPDATE crawl SET lease_owner = NULL, lease_expires_at = NULL, due_at = :now, ${touch}
      WHERE status = 'started' AND ${ownerIsGone('crawl')}`,
    sentence: (count) => `${countPhrase(count, 'list')} of addresses had been left half read and will be read on.`,
  },
  {
    name: 'open_without_due',
    table: 'snapshot',
    statement: `UPDATE snapshot SET due_at = :now, ${touch} WHERE status IN ('queued', 'started') AND due_at IS NULL`,
    sentence: (count) => `${countPhrase(count, 'page')} had been forgotten in the queue and will be taken up.`,
  },
  {
    name: 'finished_crawls',
    table: 'crawl',
    statement: `UPDATE crawl SET due_at = :now, ${touch}
      WHERE status = 'started' AND input_done = 1 AND due_at > :now AND NOT EXISTS
        (SELECT 1 FROM snapshot WHERE snapshot.crawl_id = crawl.id AND snapshot.status IN ('queued', 'started', 'paused'))`,
    sentence: (count) => `${countPhrase(count, 'crawl')} had nothing left to do and will be closed.`,
  },
];

/** What of a table belongs to a scope, as a condition of a statement; empty for everything. */
function withinScope(table: Repair['table'], scope: WorkScope): string {
  const { crawlId, snapshotIds } = scope;
  if (crawlId === undefined && snapshotIds === undefined) return '';
  if (table === 'crawl') return crawlId === undefined ? ' AND FALSE' : ' AND crawl.id = :crawlId';
  const id = table === 'snapshot' ? 'snapshot.id' : 'archive_result.snapshot_id';
  const ofCrawl = `${id} IN (SELECT own.id FROM snapshot AS own WHERE own.crawl_id = :crawlId)`;
  const listed = `${id} IN (SELECT value FROM json_each(:ids))`;
  return [crawlId === undefined ? '' : ` AND ${ofCrawl}`, snapshotIds === undefined ? '' : ` AND ${listed}`].join('');
}

/** Applies one repair within a scope, in a transaction of its own, and answers how many rows it changed. */
export async function applyRepair(db: Db, repair: Repair, now: number, scope: WorkScope = {}): Promise<number> {
  const statement = `${repair.statement}${withinScope(repair.table, scope)} RETURNING id`;
  const bound = {
    now,
    ...(statement.includes(':interrupted') ? { interrupted: interruptedSentence } : {}),
    ...(statement.includes(':crawlId') ? { crawlId: scope.crawlId } : {}),
    ...(statement.includes(':ids') ? { ids: JSON.stringify(scope.snapshotIds) } : {}),
  };
  return db.write(() => db.raw(statement, bound).length);
}
