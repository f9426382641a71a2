import type { Command } from 'commander';
import { countPhrase, sizePhrase } from '../../shared/words/amounts.ts';
import type { Collection } from '../collection/open-collection.ts';
import { dataFolderOf, parseCount, withKnownCollection } from './data-folder.ts';
import { printRecord, say } from './output.ts';

const versionsKept = 7;

export function addCommand(program: Command): void {
  program
    .command('backup')
    .description('copy the collection to a folder on another disk, verified; the next time only what is new')
    .argument('<folder>', 'an empty folder, or one that earlier backups of this collection made')
    .option('--keep <count>', `dated versions that stay (default: ${versionsKept})`)
    .action((folder: string, options: { keep?: string }, command: Command) =>
      withKnownCollection(command, (collection) => backup(collection, folder, options)),
    );
  program
    .command('restore')
    .description('bring a backup to an empty place')
    .argument('<folder>', 'where the backups lie')
    .option('--to <folder>', 'the place, empty or new (default: the data folder)')
    .option('--backup <name>', 'a dated version (default: the last)')
    .action(restore);
}

async function backup(collection: Collection, folder: string, options: { keep?: string }): Promise<void> {
  const { backUp } = await import('../collection/backup/backup.ts');
  const keep = Math.max(1, options.keep === undefined ? versionsKept : parseCount('--keep', options.keep));
  const report = await backUp(collection, folder, { now: Date.now, keep, onLacking: printLacking });
  say(
    `Backup ${report.version} is complete: ${countPhrase(report.blobs, 'new file')} copied and verified ` +
      `(${sizePhrase(report.bytes)})${report.removedVersions > 0 ? `, ${countPhrase(report.removedVersions, 'old version')} removed` : ''}.`,
  );
  if (report.lacking === 0) return;
  say('Some bytes are missing or damaged in the collection; "holdfast verify" names where they are shown.');
  process.exitCode = 1;
}

async function restore(folder: string, options: { to?: string; backup?: string }, command: Command): Promise<void> {
  const { restoreBackup } = await import('../collection/backup/restore.ts');
  const target = options.to ?? dataFolderOf(command);
  const report = await restoreBackup(folder, target, {
    now: Date.now,
    version: options.backup,
    onLacking: printLacking,
  });
  say(
    `Backup ${report.version} is restored to ${target}: ${countPhrase(report.snapshots, 'page')}, ` +
      `${countPhrase(report.blobs, 'file')} verified (${sizePhrase(report.bytes)}).`,
  );
  if (report.lacking === 0) return;
  say('The backup lacks some bytes, named above; their pages show what is there.');
  process.exitCode = 1;
}

function printLacking({ kind, digest }: { kind: string; digest: string }): void {
  printRecord(`${kind.padEnd(10)} ${digest}`);
}
