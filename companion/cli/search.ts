import type { Command } from 'commander';
import { countPhrase } from '../../shared/words/amounts.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { Search, SearchAnswer } from '../search/search.ts';
import { parseCount, withKnownCollection } from './data-folder.ts';
import { say } from './output.ts';
import type { PagePrinter } from './page-output.ts';

interface SearchCommandOptions {
  tag?: string;
  limit: string;
  json?: boolean;
  csv?: string;
}

const pagesPerLook = 100;

export function addCommand(program: Command): void {
  program
    .command('search <query...>')
    .description(
      'find kept pages: words, "phrases", begin*, -not, tag:name, site:host, url:part, after:2026-03, before:2026',
    )
    .option('--tag <name>', 'only pages with this tag')
    .option('--limit <count>', 'at most so many; 0 for all', '20')
    .option('--json', 'one JSON object per line')
    .option('--csv <fields>', 'comma-separated values of these fields, such as id,url,title')
    .action((words: string[], options: SearchCommandOptions, command: Command) =>
      withKnownCollection(command, (collection) => searchPages(collection, words, options)),
    );
}

async function searchPages(
  collection: Collection,
  words: readonly string[],
  options: SearchCommandOptions,
): Promise<void> {
  const { createPagePrinter } = await import('./page-output.ts');
  const { createSearch } = await import('../search/search.ts');
  const asked = parseCount('--limit', options.limit);
  const print = createPagePrinter(options);
  const search = createSearch({
    collection,
    log: { warn: (sentence: unknown) => say(String(sentence)) },
    isFollowing: false,
  });
  try {
    await search.catchUp();
    await printHits(collection, search, toQuery(words), print, {
      ...options,
      limit: asked === 0 ? Number.POSITIVE_INFINITY : asked,
    });
  } finally {
    await search.close();
  }
}

/** The shell has eaten the quotes of an argument with spaces: it was meant as one phrase or one tag. */
function toQuery(words: readonly string[]): string {
  if (words.length === 1) return words[0]!;
  return words
    .map((word) => (/\s/.test(word) && !word.includes('"') ? word.replace(/^(-?(?:\w+:)?)(.*)$/s, '$1"$2"') : word))
    .join(' ');
}

async function printHits(
  collection: Collection,
  search: Search,
  query: string,
  print: PagePrinter,
  options: { tag?: string; limit: number },
): Promise<void> {
  const { presentSnapshots } = await import('../collection/records/present.ts');
  const { listSnapshots } = await import('../collection/records/snapshots.ts');
  let printed = 0;
  let answer: SearchAnswer;
  let cursor: string | undefined;
  do {
    const limit = Math.min(pagesPerLook, options.limit - printed);
    answer = await search.search(query, { limit, cursor, filters: { tag: options.tag } });
    const rows = answer.ids.length === 0 ? [] : listSnapshots(collection.db, { ids: answer.ids }, limit);
    const places = new Map(answer.ids.map((id, index) => [id, index]));
    rows.sort((one, other) => places.get(one.id)! - places.get(other.id)!);
    for (const page of presentSnapshots(collection, rows, { withResults: false }))
      print(page, answer.snippets.get(page.id));
    printed += answer.ids.length;
    cursor = answer.next ?? undefined;
  } while (cursor !== undefined && printed < options.limit);
  sayOutcome(answer, printed);
}

function sayOutcome(answer: SearchAnswer, printed: number): void {
  const ignored = answer.understood.filter((part) => part.kind === 'ignored').map((part) => part.text);
  if (ignored.length > 0) say(`Not searched for: ${ignored.join(' ')}`);
  if (answer.total === 0) say('No page holds this.');
  else if (printed < answer.total)
    say(
      `${printed} of ${answer.isAtLeast ? 'more than ' : ''}${countPhrase(answer.total, 'page')}; --limit 0 shows all.`,
    );
  if (answer.note !== undefined) say(answer.note);
}
