import { uploadHookName } from '../../shared/model/states.ts';
import type { Collection } from '../../companion/collection/open-collection.ts';
import { recordOutputs } from '../../companion/collection/records/results.ts';
import { ensureSnapshot } from '../../companion/collection/records/snapshots.ts';

export interface PageFacts {
  url?: string;
  title?: string;
  tags?: string[];
  notes?: string;
  /** Recorded as the text to search for. */
  text?: string;
  bookmarkedAt?: number;
}

let count = 0;

/** Records a page as the parts of the companion would: snapshot, text through the gate, rows, bell. */
export async function keepPage(collection: Collection, facts: PageFacts = {}): Promise<string> {
  count += 1;
  const now = Date.now();
  const input = await collection.gate.promoteBytes(Buffer.from(facts.url ?? ''));
  const { row } = await collection.db.write(() =>
    ensureSnapshot(
      collection.db,
      {
        url: facts.url ?? `https://example.org/page-${count}`,
        ownerId: collection.owner.id,
        depth: 0,
        title: facts.title,
        titleOrigin: 'user',
        tags: facts.tags ?? [],
        notes: facts.notes ?? '',
        source: 'companion',
        expectedCaptures: [],
        bookmarkedAt: facts.bookmarkedAt ?? now,
        permissions: 'private',
        inputDigest: input.digest,
      },
      now,
    ),
  );
  if (facts.text !== undefined) await keepText(collection, row.id, facts.text);
  collection.bell.ring();
  return row.id;
}

/** Records a text output of a page; the same plugin again replaces it. */
export async function keepText(
  collection: Collection,
  snapshotId: string,
  text: string,
  output: { plugin: string; path: string } = { plugin: 'search_backend_sqlite', path: 'content.txt' },
): Promise<string> {
  const { digest, size } = await collection.gate.promoteBytes(Buffer.from(text));
  await collection.db.write(() =>
    recordOutputs(
      collection.db,
      { snapshotId, plugin: output.plugin, hookName: uploadHookName },
      [{ path: output.path, size, mimetype: 'text/plain', declaredType: 'text/plain', digest }],
      { status: 'succeeded', origin: 'derived' },
      Date.now(),
    ),
  );
  collection.bell.ring();
  return digest;
}
