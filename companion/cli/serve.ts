import type { Command } from 'commander';
import { constants } from 'node:os';
import { dataFolderOf, parseCount } from './data-folder.ts';
import { printRecord, say } from './output.ts';

interface ServeOptions {
  port?: string;
  runner: boolean;
  logLevel?: string;
}

export function addCommand(program: Command): void {
  program
    .command('serve')
    .description('run the companion until it is stopped')
    .option('--port <number>', 'port on 127.0.0.1 and [::1] (default: HOLDFAST_PORT, else 8745; 0 takes a free one)')
    .option('--no-runner', 'leave the work on pages to another process')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent')
    .action(serve);
}

async function serve(options: ServeOptions, command: Command): Promise<void> {
  const { startServer } = await import('../main.ts');
  // Before the signals are taken over: a signal ends the upgrade of an older collection at once.
  const { Layout } = await import('../collection/layout.ts');
  const { upgradeCollection } = await import('../collection/upgrade.ts');
  await upgradeCollection(new Layout(dataFolderOf(command)), say);
  const stopped = waitForSignal();
  const port = options.port === undefined ? undefined : parseCount('--port', options.port);
  const server = await startServer({
    dataDir: dataFolderOf(command),
    port,
    runner: options.runner,
    logLevel: options.logLevel,
  });
  printRecord(`Holdfast is running at ${server.address}`);
  printRecord(`Log in:       ${server.loginLink}`);
  printRecord(`Pairing code: ${server.pairingCode}`);
  printRecord(`Your data:    ${server.dataDir}`);
  for (const note of server.notes) say(note);
  // With the link and code, so that it never comes before them.
  printRecord('Link and code are good for ten minutes; "holdfast pair" prints a new code. Ctrl-C stops Holdfast.');
  await stopped;
  say('Stopping.');
  await server.stop();
}

/** The first signal asks for an orderly stop; a second one ends at once. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(128 + constants.signals[signal]);
        isStopping = true;
        resolve();
      });
    }
  });
}
