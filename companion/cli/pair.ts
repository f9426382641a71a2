import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import { datePhrase } from '../../shared/words/dates.ts';
import type { Collection } from '../collection/open-collection.ts';
import { withCollection } from './data-folder.ts';
import { printable, printJson, printRecord, say } from './output.ts';

interface PairOptions {
  list?: boolean;
  revoke?: string;
  json?: boolean;
}

export function addCommand(program: Command): void {
  program
    .command('pair')
    .description('print a new code to pair a browser with')
    .option('--list', 'list the paired browsers instead')
    .option('--revoke <id>', 'unpair the browser with this id instead')
    .option('--json', 'one JSON object per line')
    .action((options: PairOptions, command: Command) =>
      withCollection(command, (collection) => pair(collection, options)),
    );
}

async function pair(collection: Collection, options: PairOptions): Promise<void> {
  const { Access } = await import('../auth/access.ts');
  const access = new Access(collection);
  if (options.revoke !== undefined) return revoke(access, options.revoke);
  if (options.list) return list(access, options.json === true);
  const code = await access.newPairingCode();
  const expiresAt = Date.now() + limits.pairingCodeMs;
  if (options.json) return printJson({ code, expires_at: new Date(expiresAt).toISOString() });
  printRecord(code);
  say(
    `Type this code in the extension's options within ${countPhrase(limits.pairingCodeMs / 60_000, 'minute')}; it pairs one browser.`,
  );
  const { findRunningServer } = await import('../server-file.ts');
  if (!findRunningServer(collection.layout)) say('Holdfast is not running now; start it with "holdfast serve".');
}

async function revoke(access: { revokePairing(id: string): Promise<boolean> }, id: string): Promise<void> {
  if (!(await access.revokePairing(id))) {
    throw new HoldfastError('not_found', `No paired browser has the id ${id}; "holdfast pair --list" shows them.`);
  }
  say('This browser is unpaired; what it has not sent stays in it until it is paired again.');
}

function list(
  access: { pairings(): { id: string; name: string; created_at: number; last_seen_at: number | null }[] },
  json: boolean,
): void {
  const pairings = access.pairings();
  for (const { id, name, created_at: pairedAt, last_seen_at: seenAt } of pairings) {
    if (json)
      printJson({
        id,
        name,
        paired_at: new Date(pairedAt).toISOString(),
        last_seen_at: seenAt === null ? null : new Date(seenAt).toISOString(),
      });
    else printRecord([id, printable(name), `paired ${datePhrase(pairedAt, Date.now())}`].join('\t'));
  }
  if (pairings.length === 0 && !json) say('No browser is paired; "holdfast pair" prints a code.');
}
