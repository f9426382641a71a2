import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import type { Collection } from '../collection/open-collection.ts';
import { requireKnownPlugins, splitNames } from './add.ts';
import { withKnownCollection } from './data-folder.ts';
import { say } from './output.ts';
import { eventLine, requireIdText, stopOnSignal } from './run.ts';

interface ExtractOptions {
  plugins?: string;
  failed?: boolean;
  wait: boolean;
}

export function addCommand(program: Command): void {
  program
    .command('extract')
    .description('run steps of kept pages once more; what is kept stays until the new run brought something better')
    .argument('<id...>', 'ids of pages')
    .option('--plugins <names>', 'only these plugins, separated by commas (default: all that have no result yet)')
    .option('--failed', 'only the plugins that failed')
    .option('--no-wait', 'return at once and leave the work to a runner in the background')
    .action((ids: string[], options: ExtractOptions, command: Command) =>
      withKnownCollection(command, (collection) => extract(collection, ids, options)),
    );
}

async function extract(collection: Collection, texts: readonly string[], options: ExtractOptions): Promise<void> {
  const plugins = splitNames(options.plugins);
  if (options.failed && plugins.length > 0)
    throw new HoldfastError('bad_request', 'Take either --failed or --plugins, not both.');
  await requireKnownPlugins(collection, plugins);
  const { everyPlugin, requestFailed, requestPlugins } = await import('../collection/records/requests.ts');
  const { db } = collection;
  const ids = texts.map(requireIdText);
  const asked = await db.write(() =>
    ids.filter((id) => {
      const now = Date.now();
      if (options.failed) return requestFailed(db, id, now).length > 0;
      requestPlugins(db, id, plugins.length > 0 ? plugins : [everyPlugin], now);
      return true;
    }),
  );
  collection.bell.ring();
  if (asked.length === 0) say('Nothing of it had failed.');
  else if (options.wait) await workOn(collection, asked);
  else await leaveToRunner(collection, asked.length);
}

async function workOn(collection: Collection, snapshotIds: readonly string[]): Promise<void> {
  const { createWork } = await import('./runner-work.ts');
  const stop = stopOnSignal();
  const work = createWork(collection, { onEvent: (event) => say(eventLine(event)) });
  await work({ scope: { snapshotIds }, daemon: false, takeOver: false, onStandBy: say }, stop.signal);
  if (stop.signal.aborted) throw stop.signal.reason;
}

async function leaveToRunner(collection: Collection, count: number): Promise<void> {
  const { ensureDetachedRunner, leftTo } = await import('../runner/runner-command.ts');
  say(leftTo(countPhrase(count, 'page'), await ensureDetachedRunner(collection)));
}
