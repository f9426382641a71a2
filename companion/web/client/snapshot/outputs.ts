import type { ArchiveResultRecord } from '../../../../shared/model/api-records.ts';
import { sizePhrase } from '../../../../shared/words/amounts.ts';
import type { OutputKind, Replay, ReplayOutput } from '../api/snapshots.ts';

/** Kinds in the order a reader wants them. */
export const kindOrder: readonly OutputKind[] = ['page', 'picture', 'text', 'pdf', 'file'];

export const kindLabels: Record<OutputKind, string> = {
  page: 'Page',
  picture: 'Picture',
  text: 'Text',
  pdf: 'PDF',
  file: 'Other files',
};

/** One output is the same thing to look at as long as result, path and bytes are. */
export function outputKey(output: Pick<ReplayOutput, 'result_id' | 'path' | 'digest'>): string {
  return `${output.result_id}/${output.path}#${output.digest}`;
}

/** The output to show: the chosen one while it exists, else the preferred one, else the first of the best kind. */
export function shownOutput(replay: Replay, chosenKey: string | undefined): ReplayOutput | undefined {
  const chosen = replay.outputs.find((output) => outputKey(output) === chosenKey);
  const preferred = replay.outputs.find((output) => output.url === replay.preferred);
  const byKind = kindOrder.flatMap((kind) => replay.outputs.filter((output) => readerKind(output) === kind));
  return chosen ?? preferred ?? byKind.find((output) => readerKind(output) !== 'file');
}

/** Plugins whose results are about the work or the data, not a form of the page to look at. */
const workPlugins: ReadonlySet<string> = new Set([
  'chrome',
  'chrome_extension_facts',
  'hashes',
  'headers',
  'parse_dom_outlinks',
  'search_backend_sqlite',
  'title',
]);

/** Under which form of the page an output is offered: text that is data is a file among others. */
export function readerKind(output: Pick<ReplayOutput, 'kind' | 'plugin'>): OutputKind {
  return output.kind === 'text' && workPlugins.has(output.plugin) ? 'file' : output.kind;
}

/** What a choice among outputs of one kind calls this one, so that no two read alike. */
export function choiceLabel(output: ReplayOutput, siblings: readonly ReplayOutput[]): string {
  const alike = siblings.filter((other) => other.label === output.label).length > 1;
  return alike || output.label === output.path ? `${pluginLabel(output.plugin)} (${output.path})` : output.label;
}

/** Results a reader looks for first, and the rest: steps of the work, and what the page does not have. */
export function splitResults<Result extends Pick<ArchiveResultRecord, 'plugin' | 'status'>>(
  results: readonly Result[],
): { main: Result[]; rest: Result[] } {
  const isMain = ({ plugin, status }: Result) =>
    status === 'failed' || status === 'started' || (status === 'succeeded' && !workPlugins.has(plugin));
  return { main: results.filter(isMain), rest: results.filter((result) => !isMain(result)) };
}

const pluginLabels: Record<string, string> = {
  chrome_extension_singlefile: 'The page as you saw it',
  chrome_extension_mhtml: 'Web archive (MHTML)',
  chrome_extension_screenshot: 'Picture of the whole page',
  chrome_extension_facts: 'Facts about the capture',
  chrome_extension_dom: 'Page source',
  singlefile: 'The page in one file',
  dom: 'Page source',
  screenshot: 'Picture',
  pdf: 'PDF',
  title: 'Title',
  favicon: 'Icon',
  headers: 'Answer of the server',
  readability: 'Reading text',
  htmltotext: 'Plain text',
  parse_dom_outlinks: 'Links on the page',
  hashes: 'Digests',
  search_backend_sqlite: 'Search',
  chrome: 'Browser run',
};

/** What a plugin's result is called for a reader; an unknown plugin keeps its own name. */
export function pluginLabel(plugin: string): string {
  return pluginLabels[plugin] ?? plugin.replaceAll('_', ' ');
}

export const originLabels: Record<ArchiveResultRecord['origin'], string> = {
  browser: 'from your browser',
  derived: 'made from what was kept',
  fetched: 'fetched by Holdfast, signed out',
};

/** One sentence for a result: what became of it, and why. */
export function resultSentence(
  result: Pick<ArchiveResultRecord, 'status' | 'error' | 'output_str' | 'output_size'>,
): string {
  const why = (result.error ?? '').trim() || result.output_str.trim();
  switch (result.status) {
    case 'succeeded':
      return result.output_size > 0 ? `Kept, ${sizePhrase(result.output_size)}.` : 'Done.';
    case 'failed':
      return why === '' ? 'Could not be kept.' : `Could not be kept: ${sentenceEnd(why)}`;
    case 'skipped':
      return why === '' ? 'Left out.' : `Left out: ${sentenceEnd(why)}`;
    case 'noresults':
      return 'The page has none.';
    case 'started':
      return 'Under way.';
  }
}

function sentenceEnd(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
