import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { LifecycleRequest } from '../collection/records/requests.ts';
import { withKnownCollection } from './data-folder.ts';
import { say } from './output.ts';
import { requireIdText } from './run.ts';

const descriptions: Record<LifecycleRequest, string> = {
  pause: 'let running steps of a crawl or page finish and begin no further ones',
  resume: 'go on with a paused crawl or page',
  cancel: 'end running steps of a crawl or page and begin no further ones; what was kept stays',
};

const done: Record<LifecycleRequest, string> = { pause: 'Paused', resume: 'Resumed', cancel: 'Cancelled' };

export function addCommands(program: Command): void {
  for (const [request, description] of Object.entries(descriptions) as [LifecycleRequest, string][]) {
    program
      .command(request)
      .description(description)
      .argument('<id...>', 'ids of crawls or pages')
      .action((ids: string[], _options: object, command: Command) =>
        withKnownCollection(command, (collection) => requestAll(collection, request, ids)),
      );
  }
}

/** All or nothing, in one transaction: answered at once, the runner does the rest. */
async function requestAll(collection: Collection, request: LifecycleRequest, texts: readonly string[]): Promise<void> {
  const { findCrawl } = await import('../collection/records/crawls.ts');
  const { findSnapshot } = await import('../collection/records/snapshots.ts');
  const { requestCrawl, requestSnapshot } = await import('../collection/records/requests.ts');
  const { db } = collection;
  const ids = texts.map(requireIdText);
  const told = await db.write(() =>
    ids.map((id) => {
      const now = Date.now();
      if (findCrawl(db, id)) return `crawl ${requestCrawl(db, id, request, now).id}`;
      if (findSnapshot(db, id)) return `page ${requestSnapshot(db, id, request, now).url}`;
      throw new HoldfastError('not_found', `There is no crawl and no page ${id}.`);
    }),
  );
  collection.bell.ring();
  for (const what of told) say(`${done[request]} ${what}.`);
}
