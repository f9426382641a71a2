import type { Permission, ResultOrigin } from '../../shared/model/states.ts';
import type { Db } from '../collection/database.ts';
import { findOutput, outputsOfResults, resultsOfSnapshots } from '../collection/records/results.ts';
import { findSnapshot } from '../collection/records/snapshots.ts';
import type { ArchiveResultRow, OutputRow, SnapshotRow } from '../collection/records/tables.ts';
import { servedType, type OutputKind } from './served-type.ts';

export interface ReplayableOutput {
  result: ArchiveResultRow;
  output: OutputRow;
  kind: OutputKind;
  label: string;
}

/** The snapshot when it may be replayed: it exists and is not in the trash. */
export function findReplayable(db: Db, snapshotId: string): SnapshotRow | undefined {
  const row = findSnapshot(db, snapshotId);
  return row?.trashed_at === null ? row : undefined;
}

/** Who knows the id of a snapshot that is not private may see it; a private one needs a label that ends. */
export function needsLabel(permissions: Permission): boolean {
  return permissions === 'private';
}

/** The output at `/<plugin>/<path>` of a snapshot's host; of two hooks of one plugin the later result wins. */
export function findServed(db: Db, snapshotId: string, plugin: string, path: string): OutputRow | undefined {
  return resultsOfSnapshots(db, [snapshotId])
    .filter((result) => result.plugin === plugin)
    .map((result) => findOutput(db, result.id, path))
    .findLast((output) => output !== undefined);
}

/** Everything a snapshot holds, best to look at first. */
export function listReplayable(db: Db, snapshotId: string): ReplayableOutput[] {
  const results = resultsOfSnapshots(db, [snapshotId]);
  const outputs = outputsOfResults(
    db,
    results.map((result) => result.id),
  );
  const list = results.flatMap((result) =>
    (outputs.get(result.id) ?? []).map((output) => ({ result, output, ...kindAndLabel(result, output) })),
  );
  return list.sort(
    (a, b) => rankOf(a) - rankOf(b) || partOf(a.output) - partOf(b.output) || (a.output.path < b.output.path ? -1 : 1),
  );
}

/** The picture of the page that begins at its top: of several the best one, of one in parts the first. */
export function findScreenshot(db: Db, snapshotId: string): OutputRow | undefined {
  return listReplayable(db, snapshotId).find(
    ({ result, output }) => picturePlugins.includes(result.plugin) && output.mimetype === 'image/png',
  )?.output;
}

/** Plugins whose pages are made for reading, whatever their markup. */
const readingPlugins = new Set(['readability', 'defuddle', 'mercury', 'htmltotext', 'trafilatura', 'article_text']);
/** Best first: what the user saw, then what stands by itself, then what needs parts that are not there. */
const pagePlugins = ['chrome_extension_singlefile', 'singlefile', 'monolith', 'chrome_extension_dom', 'dom'];
const picturePlugins = ['chrome_extension_screenshot', 'screenshot'];
const kindRanks: Record<OutputKind, number> = { page: 0, picture: 100, pdf: 200, text: 300, file: 400 };

function rankOf({ kind, result }: ReplayableOutput): number {
  const order = kind === 'page' ? pagePlugins : kind === 'picture' ? picturePlugins : [];
  const place = order.indexOf(result.plugin);
  return kindRanks[kind] + (place < 0 ? 50 : place);
}

const originWords: Record<ResultOrigin, string> = {
  browser: 'as your browser showed it',
  derived: 'made from what was kept',
  fetched: 'as fetched without your login',
};

function kindAndLabel(result: ArchiveResultRow, output: OutputRow): { kind: OutputKind; label: string } {
  const sniffed = servedType(output.mimetype, output.path).kind;
  const kind = sniffed === 'page' && readingPlugins.has(result.plugin) ? 'text' : sniffed;
  switch (kind) {
    case 'page':
      return { kind, label: `Page, ${originWords[result.origin]}` };
    case 'picture':
      return { kind: pictureKind(result.plugin), label: pictureLabel(result, output) };
    case 'pdf':
      return { kind, label: `PDF, ${originWords[result.origin]}` };
    case 'text':
      return { kind, label: readingPlugins.has(result.plugin) ? 'Text for reading' : output.path };
    default:
      return { kind, label: output.path };
  }
}

/** Icons are pictures, but nobody wants to look at them. */
function pictureKind(plugin: string): OutputKind {
  return plugin === 'favicon' ? 'file' : 'picture';
}

function pictureLabel(result: ArchiveResultRow, output: OutputRow): string {
  if (result.plugin === 'favicon') return 'Icon of the site';
  if (!picturePlugins.includes(result.plugin)) return output.path;
  const part = partOf(output);
  return `Picture, ${originWords[result.origin]}${part === 0 ? '' : `, part ${part + 1}`}`;
}

/** A tall picture comes in parts: `screenshot.png`, `screenshot-1.png` and so on. */
function partOf(output: OutputRow): number {
  return Number(/-(\d+)\.png$/.exec(output.path)?.[1] ?? 0);
}
