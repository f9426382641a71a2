import type { Command } from 'commander';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { parseWebUrl } from '../../shared/url/web-url.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import { retentionConfig } from '../../shared/words/retention.ts';
import { parseSize } from '../../shared/words/sizes.ts';
import type { Collection } from '../collection/open-collection.ts';
import type { CrawlRow } from '../collection/records/tables.ts';
import type { CrawlChoices } from '../config/crawl-config.ts';
import type { Settings } from '../config/settings.ts';
import { parseCount, withCollection } from './data-folder.ts';
import { printRecord, say } from './output.ts';
import { stopOnSignal } from './run.ts';

interface AddOptions {
  depth?: string;
  tag?: string;
  plugins?: string;
  deleteAfter?: string;
  bg?: boolean;
  onlyNew?: boolean;
  update?: boolean;
  urlAllowlist?: string[];
  urlDenylist?: string[];
  maxUrls?: string;
  maxSize?: string;
  crawlTimeout?: string;
  snapshotMaxSize?: string;
}

const depthMax = 4;

export function addCommand(program: Command): void {
  program
    .command('add')
    .description('keep pages: the companion fetches them and prints where each copy is')
    .argument('<url...>', 'addresses that begin with http:// or https://')
    .option('--depth <hops>', `follow links so far, 0 to ${depthMax} (default: 0)`)
    .option('--tag <names>', 'tags for the pages, separated by commas')
    .option('--plugins <names>', 'only these plugins, separated by commas')
    .option('--delete-after <time>', 'delete the pages after so long, such as 30d, 8w or 1y (default: DELETE_AFTER)')
    .option('--only-new', 'leave out addresses that the collection has already')
    .option('--update', 'take addresses again that the collection has already')
    .option('--url-allowlist <pattern>', 'only addresses of this domain or expression; may be repeated', collect)
    .option('--url-denylist <pattern>', 'no addresses of this domain or expression; may be repeated', collect)
    .option('--max-urls <count>', 'at most so many pages; 0 for no limit')
    .option('--max-size <size>', 'begin no further links after so many bytes, such as 500mb; 0 for no limit')
    .option('--crawl-timeout <seconds>', 'begin no further links after so long; 0 for no limit')
    .option('--snapshot-max-size <size>', 'begin no further step of a page after so many bytes; 0 for no limit')
    .option('--bg', 'return at once and leave the work to a runner in the background')
    .action((urls: string[], options: AddOptions, command: Command) =>
      withCollection(command, (collection) => add(collection, urls, options)),
    );
}

async function add(collection: Collection, texts: readonly string[], options: AddOptions): Promise<void> {
  const { loadSettings } = await import('../config/settings.ts');
  const { settings } = loadSettings(collection.layout.settings());
  const urls = await requireUrls(collection, settings, texts);
  const plugins = splitNames(options.plugins);
  await requireKnownPlugins(collection, plugins);
  const crawl = await submit(collection, settings, urls, plugins, options);
  printRecord(crawl.id);
  if (options.bg) await leaveToRunner(collection, urls.length);
  else await waitForCopies(collection, crawl);
}

/** All or nothing: one address that cannot be kept refuses the whole command, and every bad one is named. */
async function requireUrls(collection: Collection, settings: Settings, texts: readonly string[]): Promise<string[]> {
  const { createAddressCheck } = await import('../runner/runner-context.ts');
  const check = createAddressCheck(collection, settings);
  const refused: string[] = [];
  const urls = new Set<string>();
  for (const text of texts) {
    const parsed = parseWebUrl(text);
    const verdict = parsed.ok
      ? check(parsed.url)
      : { ok: false as const, reason: `${JSON.stringify(text)} ${parsed.reason}` };
    if (!verdict.ok) refused.push(verdict.reason);
    else if (parsed.ok) urls.add(parsed.url);
  }
  if (refused.length > 0)
    throw new HoldfastError('invalid_url', `Nothing was added. ${refused.join('. ')}.`, { details: { refused } });
  return [...urls];
}

/** Throws `invalid_plugin` for a name that this collection does not know. */
export async function requireKnownPlugins(collection: Collection, plugins: readonly string[]): Promise<void> {
  if (plugins.length === 0) return;
  const { loadPlugins } = await import('../runner/runner-context.ts');
  const { requirePlugins } = await import('../plugin-registry/choose-plugins.ts');
  requirePlugins(await loadPlugins(collection), plugins);
}

async function submit(
  collection: Collection,
  settings: Settings,
  urls: readonly string[],
  plugins: readonly string[],
  options: AddOptions,
): Promise<CrawlRow> {
  const maxDepth = options.depth === undefined ? 0 : parseCount('--depth', options.depth);
  if (maxDepth > depthMax) throw new HoldfastError('bad_request', `--depth takes 0 to ${depthMax}.`);
  const { frozenCrawlConfig } = await import('../config/crawl-config.ts');
  const { submitCrawl } = await import('../collection/submit-crawl.ts');
  return submitCrawl(collection, {
    text: `${urls.join('\n')}\n`,
    config: {
      PARSER: 'url_list',
      ...retentionConfig(options.deleteAfter ?? settings.DELETE_AFTER),
      ...(plugins.length === 0 ? {} : { PLUGINS: plugins.join(',') }),
      ...frozenCrawlConfig(settings, choicesOf(options)),
    },
    maxDepth,
    tags: splitNames(options.tag),
    label: '',
    permissions: settings.PERMISSIONS,
  });
}

function collect(pattern: string, earlier: string[] = []): string[] {
  return [...earlier, pattern];
}

function choicesOf(options: AddOptions): CrawlChoices {
  const count = (name: string, text: string | undefined) => (text === undefined ? undefined : parseCount(name, text));
  const size = (name: string, text: string | undefined) => {
    if (text === undefined || parseSize(text) !== undefined) return text;
    throw new HoldfastError('bad_request', `${name} takes bytes or a size such as 500mb, not ${JSON.stringify(text)}.`);
  };
  return {
    ONLY_NEW: options.onlyNew ?? (options.update === undefined ? undefined : !options.update),
    URL_ALLOWLIST: options.urlAllowlist?.join('\n'),
    URL_DENYLIST: options.urlDenylist?.join('\n'),
    CRAWL_MAX_URLS: count('--max-urls', options.maxUrls),
    CRAWL_MAX_SIZE: size('--max-size', options.maxSize),
    CRAWL_TIMEOUT: count('--crawl-timeout', options.crawlTimeout),
    SNAPSHOT_MAX_SIZE: size('--snapshot-max-size', options.snapshotMaxSize),
  };
}

export function splitNames(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

async function leaveToRunner(collection: Collection, count: number): Promise<void> {
  const { ensureDetachedRunner, leftTo } = await import('../runner/runner-command.ts');
  say(leftTo(countPhrase(count, 'page'), await ensureDetachedRunner(collection)));
}

async function waitForCopies(collection: Collection, crawl: CrawlRow): Promise<void> {
  const { createWork } = await import('./runner-work.ts');
  const { findCrawl } = await import('../collection/records/crawls.ts');
  const { CrawlProgress } = await import('./crawl-progress.ts');
  const { HookSkips } = await import('../runner/hook-skips.ts');
  const skips = new HookSkips();
  const stop = stopOnSignal(() => {
    const skipped = skips.skip();
    if (skipped) say('The running step is ended and the work goes on; Ctrl-C again stops it.');
    return skipped;
  });
  const progress = new CrawlProgress(collection, crawl.id, say);
  const isDone = (): boolean => findCrawl(collection.db, crawl.id)?.status === 'sealed';
  try {
    const request = { scope: { crawlId: crawl.id }, daemon: false, takeOver: false, isDone, onStandBy: say };
    await createWork(collection, { skips })(request, stop.signal);
  } finally {
    progress.stop();
  }
  const everythingKept = progress.printCopies(printRecord);
  if (stop.signal.aborted) {
    say(`Stopped. "holdfast run --crawl-id ${crawl.id}" goes on.`);
    throw stop.signal.reason;
  }
  if (!everythingKept) process.exitCode = 1;
}
