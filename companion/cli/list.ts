import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { lifecycleStatuses } from '../../shared/model/states.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { SnapshotFilter } from '../collection/records/snapshots.ts';
import type { SnapshotRow } from '../collection/records/tables.ts';
import { parseCount, withKnownCollection } from './data-folder.ts';
import { say } from './output.ts';

interface ListOptions {
  url?: string;
  tag?: string;
  status?: string;
  limit?: string;
  json?: boolean;
  csv?: string;
}

/** What a person reads is cut; records for programs come whole. */
const readableLimit = 50;
const rowsPerLook = 200;

export function addCommand(program: Command): void {
  program
    .command('list')
    .description('list kept pages, the latest first')
    .option('--url <text>', 'only pages whose address holds this text')
    .option('--tag <name>', 'only pages with this tag')
    .option('--status <status>', `only pages in this state: ${lifecycleStatuses.join(', ')}`)
    .option('--limit <count>', `at most so many; 0 for all (default: ${readableLimit}, all with --json and --csv)`)
    .option('--json', 'one JSON object per line')
    .option('--csv <fields>', 'comma-separated values of these fields, such as id,url,title')
    .action((options: ListOptions, command: Command) =>
      withKnownCollection(command, (collection) => listPages(collection, options)),
    );
}

async function listPages(collection: Collection, options: ListOptions): Promise<void> {
  const { createPagePrinter } = await import('./page-output.ts');
  const { presentSnapshots } = await import('../collection/records/present.ts');
  const { listSnapshots } = await import('../collection/records/snapshots.ts');
  const isReadable = !options.json && options.csv === undefined;
  const asked = options.limit === undefined ? (isReadable ? readableLimit : 0) : parseCount('--limit', options.limit);
  const limit = asked === 0 ? Number.POSITIVE_INFINITY : asked;
  const filter: SnapshotFilter = { tag: options.tag, status: checkStatus(options.status) };
  const isFiltered = [options.url, options.tag, options.status].some((given) => given !== undefined);
  const print = createPagePrinter(options);
  let printed = 0;
  let last: SnapshotRow | undefined;
  for (;;) {
    const cursor = last && { bookmarkedAt: last.bookmarked_at, id: last.id };
    const rows = listSnapshots(collection.db, filter, rowsPerLook, cursor);
    last = rows.at(-1);
    const chosen = rows.filter((row) => holdsText(row.url, options.url)).slice(0, limit - printed);
    for (const page of presentSnapshots(collection, chosen, { withResults: false })) print(page);
    printed += chosen.length;
    if (!last || printed >= limit) break;
  }
  if (isReadable && printed === 0) say(isFiltered ? 'No page matches.' : 'Nothing is kept here yet.');
  else if (isReadable && last && printed === limit)
    say(`The latest ${countPhrase(printed, 'page')}; --limit 0 lists all.`);
}

function checkStatus(status: string | undefined): string | undefined {
  if (status === undefined || (lifecycleStatuses as readonly string[]).includes(status)) return status;
  throw new HoldfastError(
    'bad_request',
    `${JSON.stringify(status)} is no status; use one of ${lifecycleStatuses.join(', ')}.`,
  );
}

function holdsText(url: string, wanted: string | undefined): boolean {
  return wanted === undefined || url.toLowerCase().includes(wanted.toLowerCase());
}
