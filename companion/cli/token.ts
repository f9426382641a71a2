import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { datePhrase } from '../../shared/words/dates.ts';
import { withCollection } from './data-folder.ts';
import { printable, printJson, printRecord, say } from './output.ts';

export function addCommand(program: Command): void {
  const token = program.command('token').description('make, list and revoke tokens for scripts');
  token
    .command('create')
    .description('print a new token; it is shown this once')
    .option('--label <text>', 'what it is for', 'script')
    .option('--json', 'one JSON object')
    .action((options: { label: string; json?: boolean }, command: Command) =>
      withAccess(command, async (access) => {
        const { id, token: secret } = await access.newToken(options.label.slice(0, 120));
        if (options.json) return printJson({ id, token: secret, label: options.label });
        printRecord(secret);
        say(
          `Keep it safe: it is not shown again. Send it as "Authorization: Bearer ...". Revoke it with: holdfast token revoke ${id}`,
        );
      }),
    );
  token
    .command('list')
    .description('list the tokens that are good')
    .option('--json', 'one JSON object per line')
    .action((options: { json?: boolean }, command: Command) =>
      withAccess(command, async (access) => {
        const tokens = access.tokens();
        for (const { id, label, createdAt, paired } of tokens) {
          if (options.json) printJson({ id, label, created_at: new Date(createdAt).toISOString(), of_pairing: paired });
          else
            printRecord(
              [id, printable(label), datePhrase(createdAt, Date.now()), paired ? 'browser' : 'script'].join('\t'),
            );
        }
        if (tokens.length === 0 && !options.json) say('There are no tokens; "holdfast token create" makes one.');
      }),
    );
  token
    .command('revoke <id>')
    .description('make a token worthless at once')
    .action((id: string, _options: object, command: Command) =>
      withAccess(command, async (access) => {
        if (!(await access.revokeToken(id))) {
          throw new HoldfastError('not_found', `No good token has the id ${id}; "holdfast token list" shows them.`);
        }
        say('The token is revoked.');
      }),
    );
}

interface TokenAccess {
  newToken(label: string): Promise<{ id: string; token: string }>;
  tokens(): { id: string; label: string; createdAt: number; paired: boolean }[];
  revokeToken(id: string): Promise<boolean>;
}

async function withAccess(command: Command, work: (access: TokenAccess) => Promise<void>): Promise<void> {
  const { Access } = await import('../auth/access.ts');
  await withCollection(command, (collection) => work(new Access(collection)));
}
