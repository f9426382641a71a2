import type { Command } from 'commander';
import fs from 'node:fs';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Collection } from '../collection/open-collection.ts';
import { dataFolder } from '../config/settings.ts';
import { say } from './output.ts';

/** The data folder this command was asked to work on. */
export function dataFolderOf(command: Command): string {
  return dataFolder(command.optsWithGlobals<{ data?: string }>().data);
}

/** Opens the collection for one command and closes it after; it is made when there is none. */
export async function withCollection(command: Command, work: (collection: Collection) => Promise<void>): Promise<void> {
  const { openCollection } = await import('../collection/open-collection.ts');
  const collection = await openCollection(dataFolderOf(command), { onWaiting: say });
  try {
    await work(collection);
  } finally {
    collection.close();
  }
}

/** The same for commands that only look: a wrong `--data` is told, instead of an empty collection made there. */
export async function withKnownCollection(
  command: Command,
  work: (collection: Collection) => Promise<void>,
): Promise<void> {
  const { Layout } = await import('../collection/layout.ts');
  const layout = new Layout(dataFolderOf(command));
  if (!fs.existsSync(layout.database())) {
    throw new HoldfastError(
      'bad_request',
      `There is no collection in ${layout.root}; name its folder with --data, or make one with "holdfast serve".`,
    );
  }
  await withCollection(command, work);
}

/** A whole number of an option, or the one sentence that says what is wrong with it. */
export function parseCount(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new HoldfastError('bad_request', `${name} takes a whole number, not ${JSON.stringify(text)}.`);
}
