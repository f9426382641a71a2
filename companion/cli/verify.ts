import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { countPhrase, sizePhrase } from '../../shared/words/amounts.ts';
import type { VerifyReport } from '../collection/fixity/verify.ts';
import type { Collection } from '../collection/open-collection.ts';
import { dataFolderOf, withKnownCollection } from './data-folder.ts';
import { printJson, printRecord, say } from './output.ts';

interface VerifyOptions {
  sample?: string;
  minutes?: string;
  json?: boolean;
}

export function addCommand(program: Command): void {
  program
    .command('verify')
    .description(
      'read every kept byte again and name what is missing, changed or unknown; ends with 1 when there is any',
    )
    .option('--sample <percent>', 'only a random part, such as 10%')
    .option('--minutes <number>', 'stop after so long; the next run goes on with what was not checked for longest')
    .option('--json', 'one JSON object per finding')
    .action(verify);
}

async function verify(options: VerifyOptions, command: Command): Promise<void> {
  const sample = options.sample === undefined ? undefined : parseShare(options.sample);
  const minutes = options.minutes === undefined ? undefined : parseMinutes(options.minutes);
  let problems = 0;
  const tell = (kind: string, path: string): void => {
    problems += 1;
    if (options.json) printJson({ kind, path });
    else printRecord(`${kind.padEnd(10)} ${path}`);
  };
  // Before the collection is opened: a damaged database may not open.
  const isReadable = await checkRows(dataFolderOf(command), tell);
  if (isReadable) {
    await withKnownCollection(command, async (collection) => {
      const report = await readEverything(collection, sample, minutes, tell);
      say(summary(report));
    });
  } else say('The database is damaged: "holdfast restore" brings back a backup, "holdfast rebuild" reads the files.');
  if (problems > 0) process.exitCode = 1;
}

/** Pages of the database that SQLite finds damaged; false when it cannot be read at all. */
async function checkRows(root: string, tell: (kind: string, path: string) => void): Promise<boolean> {
  const fs = await import('node:fs');
  const { Layout } = await import('../collection/layout.ts');
  const { checkDatabase } = await import('../collection/check-database.ts');
  const file = new Layout(root).database();
  if (!fs.existsSync(file)) return true;
  let damages: string[];
  try {
    damages = checkDatabase(file, 'thorough').damages;
  } catch (error) {
    damages = [(error as Error).message];
  }
  for (const damage of damages) tell('damaged', `collection.sqlite3: ${damage}`);
  return damages.length === 0;
}

async function readEverything(
  collection: Collection,
  sample: number | undefined,
  minutes: number | undefined,
  tell: (kind: string, path: string) => void,
): Promise<VerifyReport> {
  const { FixityThreads } = await import('../collection/fixity/fixity-threads.ts');
  const { Verification } = await import('../collection/fixity/verify.ts');
  const threads = new FixityThreads();
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;
  const verification = new Verification(collection, threads, {
    now: Date.now,
    sample,
    isWanted: () => performance.now() < until,
    onProblem: ({ kind, path }) => tell(kind, path),
  });
  try {
    return await verification.run(sample === undefined && minutes === undefined);
  } finally {
    await threads.close();
  }
}

function summary({ files, bytes, problems, isComplete }: VerifyReport): string {
  const read = `${countPhrase(files, 'file')} read again (${sizePhrase(bytes)})`;
  const found = problems === 0 ? 'all as they were kept' : `${countPhrase(problems, 'thing')} wrong`;
  return `${read}, ${found}.${isComplete ? '' : ' Time is up; the next run goes on from here.'}`;
}

function parseShare(text: string): number {
  const percent = Number(/^(\d{1,3}(?:\.\d+)?)%?$/.exec(text)?.[1]);
  if (percent > 0 && percent <= 100) return percent / 100;
  throw new HoldfastError(
    'bad_request',
    `--sample takes a percentage above 0, such as 10%, not ${JSON.stringify(text)}.`,
  );
}

function parseMinutes(text: string): number {
  const minutes = Number(text);
  if (minutes > 0) return minutes;
  throw new HoldfastError('bad_request', `--minutes takes a number above 0, not ${JSON.stringify(text)}.`);
}
