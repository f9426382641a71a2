import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Permission } from '../../shared/model/states.ts';
import type { Collection } from './open-collection.ts';
import { insertCrawl } from './records/crawls.ts';
import type { CrawlRow } from './records/tables.ts';

export interface SubmittedCrawl {
  /** The text as it was submitted, kept byte for byte; one address a line for `PARSER=url_list`. */
  text: string;
  config: Record<string, unknown>;
  maxDepth: number;
  tags: readonly string[];
  label: string;
  permissions: Permission;
}

/**
 * Stores a submitted text and a queued crawl that a runner will parse into snapshots. When this returns, text and row
 * survive a power cut. Throws `bad_request` for an empty text.
 */
export async function submitCrawl(collection: Collection, crawl: SubmittedCrawl): Promise<CrawlRow> {
  if (crawl.text.trim() === '')
    throw new HoldfastError('bad_request', 'There is no address to keep; give at least one.');
  const input = await collection.gate.promoteBytes(Buffer.from(crawl.text, 'utf8'));
  const row = await collection.db.write(() => {
    const now = Date.now();
    return insertCrawl(
      collection.db,
      {
        ownerId: collection.owner.id,
        inputDigest: input.digest,
        config: { PERMISSIONS: crawl.permissions, ...crawl.config },
        maxDepth: crawl.maxDepth,
        tags: crawl.tags.join(','),
        label: crawl.label,
        permissions: crawl.permissions,
        inputDone: false,
        dueAt: now,
      },
      now,
    );
  });
  collection.bell.ring();
  return row;
}
