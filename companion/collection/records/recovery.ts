import { countPhrase } from '../../../shared/words/amounts.ts';
import type { Db } from '../database.ts';

/** Said by a result whose hook was cut off by the end of its runner; such a hook runs again. */
export const interruptedSentence = 'The companion ended before this step did; it runs again.';

/** One named repair is one statement and one sentence (DESIGN section 4, "Recovery"). */
export interface Repair {
  name: string;
  /** Binds `:now` and, where it names it, `:interrupted`. A second run changes nothing. */
  statement: string;
  sentence: (count: number) => string;
}

const ownerIsGone = (table: string): string => `${table}.lease_owner IS NOT NULL AND NOT EXISTS
  (SELECT 1 FROM process WHERE process.id = ${table}.lease_owner AND process.status = 'running')`;

const touch = 'modified_at = :now, revision = revision + 1';

export const interruptedResults: Repair = {
  name: 'interrupted_results',
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
    statement: `UPDATE snapshot SET lease_owner = NULL, lease_expires_at = NULL, due_at = :now, ${touch}
      WHERE status IN ('started', 'sealed') AND due_at IS NOT NULL AND ${ownerIsGone('snapshot')} AND NOT EXISTS
        (SELECT 1 FROM process AS hook WHERE hook.snapshot_id = snapshot.id AND hook.status = 'running' AND hook.type = 'hook')`,
    sentence: (count) => `${countPhrase(count, 'page')} had lost the runner that worked on them and will go on.`,
  },
  {
    name: 'lost_crawl_leases',
    statement: `UPDATE crawl SET lease_owner = NULL, lease_expires_at = NULL, due_at = :now, ${touch}
      WHERE status = 'started' AND ${ownerIsGone('crawl')}`,
    sentence: (count) => `${countPhrase(count, 'list')} of addresses had been left half read and will be read on.`,
  },
  {
    name: 'open_without_due',
    statement: `UPDATE snapshot SET due_at = :now, ${touch} WHERE status IN ('queued', 'started') AND due_at IS NULL`,
    sentence: (count) => `${countPhrase(count, 'page')} had been forgotten in the queue and will be taken up.`,
  },
  {
    name: 'finished_crawls',
    statement: `UPDATE crawl SET due_at = :now, ${touch}
      WHERE status = 'started' AND input_done = 1 AND due_at > :now AND NOT EXISTS
        (SELECT 1 FROM snapshot WHERE snapshot.crawl_id = crawl.id AND snapshot.status IN ('queued', 'started', 'paused'))`,
    sentence: (count) => `${countPhrase(count, 'crawl')} had nothing left to do and will be closed.`,
  },
];

/** Applies one repair in a transaction of its own and answers how many rows it changed. */
export async function applyRepair(db: Db, repair: Repair, now: number): Promise<number> {
  const bound = {
    now,
    ...(repair.statement.includes(':interrupted') ? { interrupted: interruptedSentence } : {}),
  };
  return db.write(() => db.raw(`${repair.statement} RETURNING id`, bound).length);
}
