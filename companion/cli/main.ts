import { Command, CommanderError } from 'commander';
import { holdfastVersion } from '../config/version.ts';
import { commands } from './commands.ts';
import { exitCodeOf, explainError } from './exit-code.ts';

/** Entry of the `holdfast` command. */
async function main(): Promise<void> {
  const program = new Command('holdfast')
    .description('Keeps what you see on the web, on your own machine.')
    .version(holdfastVersion, '-V, --version')
    .option('--data <folder>', 'data folder (default: HOLDFAST_DATA, else the XDG data folder)')
    .showSuggestionAfterError()
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  for (const addCommand of commands) addCommand(program);
  for (const command of program.commands) for (const one of [command, ...command.commands]) one.exitOverride();
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    // Help and version end here too; commander has printed them and its own refusals.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

await main();
