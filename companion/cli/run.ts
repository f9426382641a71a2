import type { Command } from 'commander';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { normalizeId } from '../../shared/model/ids.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { WorkScope } from '../collection/records/due-work.ts';
import type { RunnerEvent } from '../runner/runner-context.ts';
import { withCollection } from './data-folder.ts';
import { EndedBySignal } from './exit-code.ts';
import { printable, say } from './output.ts';

interface RunOptions {
  daemon?: boolean;
  takeOver?: boolean;
  tied?: boolean;
  crawlId?: string;
  snapshotId?: string[];
  maintenanceOnly?: boolean;
}

export function addCommand(program: Command): void {
  program
    .command('run')
    .description('work on everything that is due, then end')
    .option('--daemon', 'go on and wait for more')
    .option('--crawl-id <id>', 'only this crawl')
    .option('--snapshot-id <id...>', 'only these pages')
    .option('--maintenance-only', 'only what is kept already: requested steps, late captures, index files')
    .option('--take-over', 'end the runner that is working on this collection and go on in its place')
    .addOption(program.createOption('--tied', 'end with the process that started it').hideHelp())
    .action((options: RunOptions, command: Command) =>
      withCollection(command, (collection) => run(collection, options)),
    );
}

async function run(collection: Collection, options: RunOptions): Promise<void> {
  const scope = await requireScope(collection, options);
  const stop = stopOnSignal();
  if (options.tied) endWithParent(stop);
  const { createWork } = await import('./runner-work.ts');
  const work = createWork(collection, { onEvent: (event) => say(eventLine(event)) });
  await work(
    { scope, daemon: options.daemon ?? false, takeOver: options.takeOver ?? false, onStandBy: say },
    stop.signal,
  );
  if (stop.signal.aborted && stop.signal.reason instanceof EndedBySignal) throw stop.signal.reason;
}

async function requireScope(collection: Collection, options: RunOptions): Promise<WorkScope> {
  const { findCrawl } = await import('../collection/records/crawls.ts');
  const { requireSnapshot } = await import('../collection/records/snapshots.ts');
  const crawlId = options.crawlId === undefined ? undefined : requireIdText(options.crawlId);
  if (crawlId !== undefined && !findCrawl(collection.db, crawlId)) {
    throw new HoldfastError('not_found', `There is no crawl ${crawlId}.`);
  }
  const snapshotIds = options.snapshotId?.map((id) => requireSnapshot(collection.db, requireIdText(id)).id);
  return { crawlId, snapshotIds, maintenanceOnly: options.maintenanceOnly };
}

export function requireIdText(text: string): string {
  const id = normalizeId(text);
  if (id !== undefined) return id;
  throw new HoldfastError('not_found', `${JSON.stringify(text)} is no id; "holdfast list --csv id,url" shows them.`);
}

/** One line per claim and end: short crawl id, short snapshot id, what happened, address. */
export function eventLine(event: RunnerEvent): string {
  const room = Math.max(20, (process.stderr.columns ?? 100) - 27);
  const url = printable(event.url);
  const shown = url.length > room ? `${url.slice(0, room - 1)}…` : url;
  return `${event.crawlId.slice(-8)} ${event.snapshotId.slice(-8)} ${event.kind.padEnd(7)} ${shown}`;
}

/**
 * The first signal asks for an orderly stop; a second one ends at once. `onFirstInterrupt` may take the first Ctrl-C for
 * itself by answering true.
 */
export function stopOnSignal(onFirstInterrupt: () => boolean = () => false): AbortController {
  const stop = new AbortController();
  let isInterrupted = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      const isFirst = signal === 'SIGINT' && !isInterrupted && !stop.signal.aborted;
      isInterrupted ||= isFirst;
      if (isFirst && onFirstInterrupt()) return;
      if (stop.signal.aborted) process.exit(128 + constants.signals[signal]);
      stop.abort(new EndedBySignal(signal));
    });
  }
  return stop;
}

/** Descriptor 3 is a pipe from the process that started this one; it closes when that one dies in any way. */
function endWithParent(stop: AbortController): void {
  const tie = new Socket({ fd: 3, readable: true, writable: false });
  tie.on('error', () => stop.abort());
  tie.on('close', () => stop.abort());
  tie.resume();
  tie.unref();
}
