import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import { dataFolderOf } from './data-folder.ts';
import { printRecord, say } from './output.ts';

export function addCommand(program: Command): void {
  program
    .command('rebuild')
    .description('make the database anew from the files, when it is lost or damaged; stop Holdfast before')
    .option('--replace', 'also when the database has rows; it is kept beside the new one')
    .action(rebuild);
}

async function rebuild(options: { replace?: boolean }, command: Command): Promise<void> {
  const { rebuildRows } = await import('../collection/rebuild.ts');
  const { Layout } = await import('../collection/layout.ts');
  const { findRunningServer } = await import('../server-file.ts');
  const root = dataFolderOf(command);
  const server = findRunningServer(new Layout(root));
  if (server)
    throw new HoldfastError('conflict', `Holdfast is running (process ${server.pid}); stop it, then run this again.`);
  const report = await rebuildRows(root, {
    now: Date.now(),
    isReplacing: options.replace ?? false,
    onUnreadable: (file) => printRecord(`unreadable ${file}`),
  });
  say(`${countPhrase(report.snapshots, 'page')} read from the files. Pair your browser anew: "holdfast pair".`);
  if (report.aside !== undefined) say(`The database before lies in ${report.aside}.`);
  if (report.unreadable > 0) process.exitCode = 1;
}
