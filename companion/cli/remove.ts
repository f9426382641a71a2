import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { normalizeId } from '../../shared/model/ids.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import type { Collection } from '../collection/open-collection.ts';
import { withKnownCollection } from './data-folder.ts';
import { printRecord, say } from './output.ts';

export function addCommand(program: Command): void {
  program
    .command('remove')
    .description('move pages to the trash, where they can be taken back for 30 days')
    .argument('<page...>', 'ids or exact addresses; an address means every copy of it')
    .action((pages: string[], _options: object, command: Command) =>
      withKnownCollection(command, (collection) => remove(collection, pages)),
    );
}

async function remove(collection: Collection, pages: readonly string[]): Promise<void> {
  const { trashSnapshot } = await import('../collection/records/trash.ts');
  const ids = (await Promise.all(pages.map((page) => findPages(collection, page)))).flat();
  const { db, bell } = collection;
  let removed = 0;
  for (const id of new Set(ids)) {
    if (await db.write(() => trashSnapshot(db, id, Date.now()))) removed += 1;
    printRecord(id);
  }
  bell.ring();
  say(`${countPhrase(removed, 'page')} moved to the trash; "holdfast trash --restore <id>" takes one back.`);
}

const copiesMax = 10_000;

async function findPages(collection: Collection, page: string): Promise<string[]> {
  const { listSnapshots, requireSnapshot } = await import('../collection/records/snapshots.ts');
  const id = normalizeId(page);
  if (id !== undefined) return [requireSnapshot(collection.db, id).id];
  const rows = listSnapshots(collection.db, { url: page }, copiesMax);
  if (rows.length > 0) return rows.map((row) => row.id);
  throw new HoldfastError(
    'not_found',
    `No page has the address ${JSON.stringify(page)}; "holdfast list --url" looks for parts of one.`,
  );
}
