import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { normalizeId } from '../../shared/model/ids.ts';
import { countPhrase, sizePhrase } from '../../shared/words/amounts.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { SnapshotRow } from '../collection/records/tables.ts';
import { withKnownCollection } from './data-folder.ts';
import { printRecord, say } from './output.ts';

interface TrashOptions {
  restore?: string[];
  empty?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const rowsPerLook = 200;

export function addCommand(program: Command): void {
  program
    .command('trash')
    .description('list what was deleted, take it back, or delete it for good')
    .option('--restore <id...>', 'take these pages back')
    .option('--empty', 'delete everything in the trash for good')
    .option('--dry-run', 'with --empty: only say what would go')
    .option('--json', 'one JSON object per line')
    .action((options: TrashOptions, command: Command) =>
      withKnownCollection(command, (collection) => workOnTrash(collection, options)),
    );
}

async function workOnTrash(collection: Collection, options: TrashOptions): Promise<void> {
  if (options.restore && options.empty)
    throw new HoldfastError('bad_request', 'Take either --restore or --empty, not both.');
  if (options.dryRun && !options.empty) throw new HoldfastError('bad_request', '--dry-run goes with --empty.');
  if (options.restore) return restorePages(collection, options.restore);
  if (options.empty) return emptyTrash(collection, options.dryRun ?? false);
  return listPages(collection, options);
}

async function listPages(collection: Collection, options: TrashOptions): Promise<void> {
  const { createPagePrinter } = await import('./page-output.ts');
  const { presentSnapshots } = await import('../collection/records/present.ts');
  const { listTrash } = await import('../collection/records/trash.ts');
  const print = createPagePrinter(options.json ? { json: true } : { csv: 'id,url,title' });
  let last: SnapshotRow | undefined;
  for (;;) {
    const rows = listTrash(collection.db, rowsPerLook, last && { trashedAt: last.trashed_at!, id: last.id });
    if (rows.length === 0) break;
    for (const page of presentSnapshots(collection, rows, { withResults: false })) print(page);
    last = rows.at(-1);
  }
  say(last ? await figuresSentence(collection) : 'The trash is empty.');
}

async function figuresSentence(collection: Collection): Promise<string> {
  const { trashFigures } = await import('../collection/records/trash.ts');
  const { pages, freeableBytes } = trashFigures(collection.db);
  return `${countPhrase(pages, 'page')} in the trash; deleting them for good frees ${sizePhrase(freeableBytes)}.`;
}

async function restorePages(collection: Collection, texts: readonly string[]): Promise<void> {
  const { restoreSnapshot } = await import('../collection/records/trash.ts');
  const { db, bell } = collection;
  for (const text of texts) {
    const id = normalizeId(text);
    if (id === undefined)
      throw new HoldfastError('not_found', `${JSON.stringify(text)} is no id; "holdfast trash" shows them.`);
    const row = await db.write(() => restoreSnapshot(db, id, Date.now()));
    printRecord(row.id);
  }
  bell.ring();
}

async function emptyTrash(collection: Collection, dryRun: boolean): Promise<void> {
  const { expireTrash } = await import('../collection/records/trash.ts');
  const { purgeExpired } = await import('../collection/trash.ts');
  const { pruneBlobs } = await import('../collection/blobs/prune.ts');
  say(await figuresSentence(collection));
  if (dryRun) return;
  const now = Date.now();
  while ((await collection.db.write(() => expireTrash(collection.db, now, rowsPerLook))) > 0);
  const purged = await purgeExpired(collection, { now });
  const { bytes } = await pruneBlobs(collection, { now });
  say(
    `${countPhrase(purged, 'page')} deleted for good, ${sizePhrase(bytes)} freed; bytes kept within the last day go later.`,
  );
}
