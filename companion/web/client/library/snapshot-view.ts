import type { ArchiveResultRecord, SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { witnessPlugins } from '../../../../shared/model/states.ts';
import { routes } from '../../../../shared/protocol/routes.ts';

/**
 * How a snapshot is told at one glance, beside its sentence:
 * - `kept`: bytes are on disk and nothing is under way
 * - `working`: results are being made
 * - `waiting`: for its turn or for the browser
 * - `paused`: by the reader
 * - `empty`: nothing could be kept
 */
export type StateMark = 'kept' | 'working' | 'waiting' | 'paused' | 'empty';

type Told = Pick<SnapshotRecord, 'status' | 'output_size'>;

export function stateMark(snapshot: Told): StateMark {
  if (snapshot.status === 'paused') return 'paused';
  if (snapshot.status === 'started') return 'working';
  if (snapshot.status === 'queued') return 'waiting';
  return snapshot.output_size > 0 ? 'kept' : 'empty';
}

/** Shape of the mark, so that colour is never alone. */
export const markGlyphs: Record<StateMark, string> = { kept: '✓', working: '◐', waiting: '○', paused: 'Ⅱ', empty: '!' };

/** The browser's captures are outstanding, so the companion may be asked to fetch the page itself. */
export function waitsForBrowser(
  snapshot: Pick<SnapshotRecord, 'source' | 'status' | 'expected_captures' | 'archiveresults'>,
): boolean {
  if (snapshot.source !== 'browser' || snapshot.status === 'sealed') return false;
  const arrived = new Set(snapshot.archiveresults.filter(isFinal).map((result) => result.plugin));
  return snapshot.expected_captures.some((plugin) => !arrived.has(plugin));
}

function isFinal(result: ArchiveResultRecord): boolean {
  return result.status !== 'started';
}

const picturePlugins: readonly string[] = [witnessPlugins.screenshot, 'screenshot'];

/** Whether the companion can make a small picture of the page. */
export function hasPicture(results: ArchiveResultRecord[]): boolean {
  return results.some((result) => picturePlugins.includes(result.plugin) && result.status === 'succeeded');
}

/** Address of the page's own small icon among its results. */
export function faviconAddress(results: ArchiveResultRecord[]): string | undefined {
  const favicon = results.find((result) => result.plugin === 'favicon' && result.status === 'succeeded');
  const path = favicon && Object.keys(favicon.output_files)[0];
  return path === undefined ? undefined : (favicon!.output_files[path]!.url ?? routes.resultFile(favicon!.id, path));
}

/** What to call a snapshot: its title, else its address without the scheme. */
export function snapshotName(snapshot: Pick<SnapshotRecord, 'title' | 'url'>): string {
  const title = snapshot.title?.trim();
  return title ? title : shortAddress(snapshot.url);
}

/** The address as people read it: no scheme, no `www.`, no lone slash at the end. */
export function shortAddress(url: string): string {
  return url.replace(/^https?:\/\/(www\.)?/i, '').replace(/^([^/?#]+)\/$/, '$1');
}

/** Host of an address, for the quiet line below a title. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host.replace(/^www\./, '') : url;
}
