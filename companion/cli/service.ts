import type { Command } from 'commander';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { dataFolderOf } from './data-folder.ts';
import { printRecord, say } from './output.ts';

const unitName = 'holdfast.service';
/** Settings of the companion that a login does not bring along. */
const passedOn = ['HOLDFAST_PORT', 'HOLDFAST_CHROMIUM', 'LOG_LEVEL'];

export function addCommand(program: Command): void {
  const service = program.command('service').description('start the companion at login');
  service
    .command('install')
    .description('write a systemd user unit for this data folder and start it')
    .option('--no-start', 'only write it')
    .action((options: { start: boolean }, command: Command) => install(options, command));
  service.command('remove').description('stop it and take the unit away; your data stays').action(remove);
}

async function install(options: { start: boolean }, command: Command): Promise<void> {
  requireSystemd();
  const { systemdUnit } = await import('./service/systemd-unit.ts');
  const program = process.argv[1];
  if (program === undefined) throw new HoldfastError('internal', 'The path of this program is unknown.');
  const environment = Object.fromEntries(
    passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  ) as Record<string, string>;
  const unit = systemdUnit({
    command: [process.execPath, await fs.realpath(program), '--data', dataFolderOf(command), 'serve'],
    environment,
  });
  await fs.mkdir(path.dirname(unitFile()), { recursive: true });
  await fs.writeFile(unitFile(), unit);
  printRecord(unitFile());
  if (!options.start) return;
  try {
    await systemctl('daemon-reload');
    await systemctl('enable', '--now', unitName);
  } catch (error) {
    const sentence = `${(error as Error).message} The unit is written; start it when systemd runs.`;
    throw new HoldfastError('internal', sentence, { cause: error });
  }
  say('Holdfast runs and starts at each login; "holdfast pair" prints a pairing code, "holdfast login" a login link.');
}

async function remove(): Promise<void> {
  requireSystemd();
  const [there] = await Promise.allSettled([fs.access(unitFile())]);
  if (there.status === 'rejected') {
    say('There is no service of Holdfast.');
    return;
  }
  try {
    await systemctl('disable', '--now', unitName);
  } catch (error) {
    say(`${(error as Error).message} The unit is taken away all the same.`);
  }
  await fs.rm(unitFile(), { force: true });
  printRecord(unitFile());
}

function unitFile(): string {
  const named = process.env['XDG_CONFIG_HOME'];
  const config = named !== undefined && named !== '' ? named : path.join(os.homedir(), '.config');
  return path.join(config, 'systemd', 'user', unitName);
}

function requireSystemd(): void {
  if (process.platform === 'linux') return;
  throw new HoldfastError(
    'bad_request',
    'This command knows systemd only; the README says how to start Holdfast at login on this system.',
  );
}

const systemctlMs = 60_000;

async function systemctl(...args: string[]): Promise<void> {
  const { runProcess } = await import('../process/run-process.ts');
  const { inheritedEnvironment } = await import('../runner/runner-command.ts');
  const result = await runProcess(
    {
      command: ['systemctl', '--user', ...args],
      env: inheritedEnvironment(),
      cwd: os.tmpdir(),
      timeoutMs: systemctlMs,
    },
    new AbortController().signal,
  );
  if (result.exitCode === 0) return;
  const reason = result.stderr.trim().split('\n')[0] || result.message || 'no reason given';
  throw new HoldfastError('internal', `systemd did not take it (systemctl --user ${args.join(' ')}: ${reason}).`);
}
