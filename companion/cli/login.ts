import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import { uiOrigins } from '../../shared/protocol/hosts.ts';
import type { Collection } from '../collection/open-collection.ts';
import { withCollection } from './data-folder.ts';
import { printJson, printRecord, say } from './output.ts';

export function addCommand(program: Command): void {
  program
    .command('login')
    .description('print a new one-time link that opens the library')
    .option('--json', 'one JSON object')
    .action((options: { json?: boolean }, command: Command) =>
      withCollection(command, (collection) => login(collection, options.json === true)),
    );
}

async function login(collection: Collection, json: boolean): Promise<void> {
  const { findRunningServer } = await import('../server-file.ts');
  const server = findRunningServer(collection.layout);
  if (!server) {
    throw new HoldfastError('conflict', 'Holdfast is not running; "holdfast serve" starts it and prints a link.');
  }
  const { Access } = await import('../auth/access.ts');
  const link = `${uiOrigins(server.port)[0]!}/login#${await new Access(collection).newLoginCode()}`;
  if (json) return printJson({ link, expires_at: new Date(Date.now() + limits.loginCodeMs).toISOString() });
  printRecord(link);
  say(`Open it within ${countPhrase(limits.loginCodeMs / 60_000, 'minute')}; it works once.`);
}
