import { finalResultStatuses, lifecycleStatuses, type LifecycleStatus } from '../../../shared/model/states.ts';
import { sqlBuilder, type Db } from '../database.ts';

export interface CollectionStatistics {
  /** Pages not in the trash. */
  pages: number;
  pagesByStatus: Record<LifecycleStatus, number>;
  pagesInTrash: number;
  /** Pages whose browser has not sent all captures it announced. */
  waitingForBrowser: number;
  /** Bytes of all outputs, each counted as often as it is used. */
  outputBytes: number;
  /** Bytes that really lie on disk: equal contents are kept once. */
  blobBytes: number;
  resultsFailed: number;
  /** Pages whose work failed inside the companion and is tried again. */
  pagesInTrouble: number;
}

/** Counts over everything: for commands, never for the server's own connection (it reads whole tables). */
export function collectStatistics(db: Db): CollectionStatistics {
  const byStatus = db.all(
    sqlBuilder
      .selectFrom('snapshot')
      .select((e) => [
        'status',
        e.fn.countAll<number>().as('pages'),
        e.fn.sum<number | null>('output_size').as('bytes'),
      ])
      .where('trashed_at', 'is', null)
      .groupBy('status'),
  );
  const count = (status: LifecycleStatus): number => byStatus.find((row) => row.status === status)?.pages ?? 0;
  const trashed = sqlBuilder
    .selectFrom('snapshot')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('trashed_at', 'is not', null);
  const blobs = sqlBuilder.selectFrom('blob').select((e) => e.fn.sum<number | null>('size').as('bytes'));
  const failed = sqlBuilder
    .selectFrom('archive_result')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('status', '=', 'failed');
  const troubled = sqlBuilder
    .selectFrom('snapshot')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('attempts', '>', 0);
  return {
    pages: byStatus.reduce((sum, row) => sum + row.pages, 0),
    pagesByStatus: Object.fromEntries(lifecycleStatuses.map((status) => [status, count(status)])) as Record<
      LifecycleStatus,
      number
    >,
    pagesInTrash: db.first(trashed)?.n ?? 0,
    waitingForBrowser: countWaitingForBrowser(db),
    outputBytes: byStatus.reduce((sum, row) => sum + (row.bytes ?? 0), 0),
    blobBytes: db.first(blobs)?.bytes ?? 0,
    resultsFailed: db.first(failed)?.n ?? 0,
    pagesInTrouble: db.first(troubled)?.n ?? 0,
  };
}

function countWaitingForBrowser(db: Db): number {
  const final = finalResultStatuses.map((status) => `'${status}'`).join(', ');
  const rows = db.raw<{ n: number }>(
    `SELECT count(*) AS n FROM snapshot
      WHERE source = 'browser' AND status IN ('queued', 'started', 'paused') AND trashed_at IS NULL
        AND EXISTS (
          SELECT 1 FROM json_each(snapshot.expected_captures) AS expected
           WHERE NOT EXISTS (SELECT 1 FROM archive_result AS result
             WHERE result.snapshot_id = snapshot.id AND result.plugin = expected.value AND result.status IN (${final})))`,
  );
  return rows[0]?.n ?? 0;
}
