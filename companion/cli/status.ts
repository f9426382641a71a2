import type { Command } from 'commander';
import fs from 'node:fs/promises';
import { countPhrase, sizePhrase } from '../../shared/words/amounts.ts';
import { datePhrase } from '../../shared/words/dates.ts';
import type { Collection } from '../collection/open-collection.ts';
import { withKnownCollection } from './data-folder.ts';
import { paint, printable, printJson, printRecord } from './output.ts';
import { findRunningServer } from '../server-file.ts';

export function addCommand(program: Command): void {
  program
    .command('status')
    .description('show what the collection holds and what is running')
    .option('--json', 'one JSON object')
    .action((options: { json?: boolean }, command: Command) =>
      withKnownCollection(command, async (collection) => {
        const status = await collectStatus(collection);
        if (options.json) printJson(status);
        else
          for (const [name, text] of statusLines(status)) printRecord(`${paint('dim', `${name}:`.padEnd(11))}${text}`);
      }),
    );
}

interface Status {
  data_folder: string;
  pages: number;
  pages_by_status: Record<string, number>;
  pages_in_trash: number;
  waiting_for_browser: number;
  uploads_in_progress: number;
  results_failed: number;
  pages_in_trouble: number;
  output_bytes: number;
  blob_bytes: number;
  database_bytes: number;
  search_index_bytes: number;
  disk_free_bytes: number;
  last_backup_at: string | null;
  /** A sentence when a backup is overdue. */
  backup_reminder: string | null;
  /** Blobs whose last check found them damaged. */
  damaged_files: number;
  server: { pid: number; port: number; version: string; started_at: string } | null;
  runner: { pid: number; version: string; heartbeat_at: string } | null;
  pairings: { id: string; name: string; last_seen_at: string | null }[];
}

async function collectStatus(collection: Collection): Promise<Status> {
  const { Access } = await import('../auth/access.ts');
  const { collectStatistics } = await import('../collection/records/statistics.ts');
  const { backupReminder, lastBackup } = await import('../collection/records/backups.ts');
  const { countDamaged } = await import('../collection/records/fixity.ts');
  const { isoTimeOrNull } = await import('../collection/records/common.ts');
  const { db, layout } = collection;
  const statistics = collectStatistics(db);
  const disk = await fs.statfs(layout.root);
  return {
    data_folder: layout.root,
    pages: statistics.pages,
    pages_by_status: statistics.pagesByStatus,
    pages_in_trash: statistics.pagesInTrash,
    waiting_for_browser: statistics.waitingForBrowser,
    uploads_in_progress: (await fs.readdir(layout.uploads())).length,
    results_failed: statistics.resultsFailed,
    pages_in_trouble: statistics.pagesInTrouble,
    output_bytes: statistics.outputBytes,
    blob_bytes: statistics.blobBytes,
    database_bytes: await databaseBytes(layout.database()),
    search_index_bytes: await databaseBytes(layout.searchDatabase()),
    disk_free_bytes: disk.bavail * disk.bsize,
    last_backup_at: isoTimeOrNull(lastBackup(db)?.finished_at ?? null),
    backup_reminder: backupReminder(db, Date.now()) ?? null,
    damaged_files: countDamaged(db),
    server: findRunningServer(layout) ?? null,
    runner: await findLivingRunner(collection),
    pairings: new Access(collection).pairings().map((pairing) => ({
      id: pairing.id,
      name: pairing.name,
      last_seen_at: pairing.last_seen_at === null ? null : new Date(pairing.last_seen_at).toISOString(),
    })),
  };
}

/** Bytes of a database with what waits in its log; 0 when it is not there. */
async function databaseBytes(file: string): Promise<number> {
  const sizes = ['', '-wal'].map(async (suffix) => {
    const [stat] = await Promise.allSettled([fs.stat(file + suffix)]);
    return stat.status === 'fulfilled' ? stat.value.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function findLivingRunner(collection: Collection): Promise<Status['runner']> {
  const { findActiveRunner } = await import('../collection/records/processes.ts');
  const { isProcessAlive } = await import('../process/process-identity.ts');
  const row = findActiveRunner(collection.db, collection.machineId);
  if (!row || !isProcessAlive(row.pid, row.pid_started_at, row.pid_namespace)) return null;
  return { pid: row.pid, version: row.version, heartbeat_at: new Date(row.heartbeat_at).toISOString() };
}

function statusLines(status: Status): [string, string][] {
  const now = Date.now();
  const open = status.pages - (status.pages_by_status['sealed'] ?? 0);
  const waiting = status.waiting_for_browser + status.uploads_in_progress;
  const { server, runner } = status;
  const lines: [string, string][] = [
    ['Data', status.data_folder],
    [
      'Pages',
      `${countPhrase(status.pages, 'page')}${open > 0 ? `, work left on ${open}` : ''}${status.pages_in_trash > 0 ? `, ${status.pages_in_trash} in the trash` : ''}`,
    ],
    [
      'Size',
      `${sizePhrase(status.output_bytes)} kept in ${sizePhrase(status.blob_bytes)} on disk; database ${sizePhrase(status.database_bytes)}, search index ${sizePhrase(status.search_index_bytes)}`,
    ],
    ['Disk', `${sizePhrase(status.disk_free_bytes)} free`],
    [
      'Server',
      server
        ? `running on port ${server.port} (process ${server.pid}, version ${server.version}), since ${datePhrase(Date.parse(server.started_at), now)}`
        : 'not running; "holdfast serve" starts it',
    ],
    ['Runner', runner ? `running (process ${runner.pid}, version ${runner.version})` : 'not running'],
    [
      'Browser',
      waiting === 0
        ? 'nothing is on its way'
        : `${countPhrase(status.waiting_for_browser, 'page')} waiting for captures from a browser, ${countPhrase(status.uploads_in_progress, 'upload')} under way`,
    ],
  ];
  if (status.pairings.length === 0) lines.push(['Paired', 'no browser yet; "holdfast pair" prints a code']);
  for (const pairing of status.pairings) {
    const seen =
      pairing.last_seen_at === null ? 'not seen yet' : `seen ${datePhrase(Date.parse(pairing.last_seen_at), now)}`;
    lines.push(['Paired', `${printable(pairing.name)}, ${seen}`]);
  }
  const { last_backup_at: lastBackupAt } = status;
  lines.push([
    'Backup',
    status.backup_reminder ??
      (lastBackupAt === null ? 'none yet' : `the last one was made ${datePhrase(Date.parse(lastBackupAt), now)}`),
  ]);
  if (status.damaged_files > 0)
    lines.push(['Damaged', `${countPhrase(status.damaged_files, 'file')}; "holdfast verify" names them`]);
  if (status.pages_in_trouble > 0)
    lines.push([
      'Trouble',
      `${countPhrase(status.pages_in_trouble, 'page')} failed inside Holdfast and will be tried again`,
    ]);
  if (status.results_failed > 0)
    lines.push(['Failed', `${countPhrase(status.results_failed, 'result')}; each page shows why`]);
  return lines;
}
