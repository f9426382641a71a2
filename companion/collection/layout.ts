import path from 'node:path';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { Digest } from '../../shared/digest/digest.ts';
import { BlobFolder } from './blobs/blob-folder.ts';
import { domainFolderName } from '../../shared/url/web-url.ts';

/** What the folder of a snapshot or crawl is named after; none of it ever changes (DESIGN section 7). */
export interface FolderFacts {
  id: string;
  owner: string;
  createdAt: number;
  url: string;
}

export const asidePrefix = 'aside-';

/** Every path inside a collection, made from ids. Nobody else joins archive paths. */
export class Layout {
  readonly root: string;

  constructor(root: string) {
    this.root = path.resolve(root);
  }

  readonly settings = () => path.join(this.root, 'holdfast.toml');
  readonly database = () => path.join(this.root, 'collection.sqlite3');
  /** Its state before it was brought from this schema to the next one. */
  readonly databaseCopy = (schema: number) => path.join(this.root, `collection-schema-${schema}.sqlite3`);
  readonly searchDatabase = () => path.join(this.root, 'search.sqlite3');
  readonly archive = () => path.join(this.root, 'archive');
  readonly blobs = () => path.join(this.root, 'blobs', 'sha256');
  /** Copies on their way into the store; on the same file system as the blobs. */
  readonly blobStaging = () => path.join(this.root, 'blobs', 'staging');
  readonly uploads = () => path.join(this.root, 'uploads');
  readonly runs = () => path.join(this.root, 'runs');
  readonly runtime = () => path.join(this.root, 'run');
  readonly bell = () => path.join(this.root, 'run', 'wake');
  readonly reserve = () => path.join(this.root, 'run', 'reserve');
  readonly personas = () => path.join(this.root, 'personas');
  readonly plugins = () => path.join(this.root, 'plugins');
  readonly logs = () => path.join(this.root, 'logs');
  readonly cache = () => path.join(this.root, 'cache');

  blob(digest: Digest): string {
    return new BlobFolder(this.blobs()).file(digest);
  }

  /** The side record of a page that is stored split. */
  blobRecipe(digest: Digest): string {
    return new BlobFolder(this.blobs()).sideRecord(digest);
  }

  /** Where prune puts a blob or side record while it looks for references. */
  blobAside(name: string): string {
    return path.join(this.blobStaging(), `${asidePrefix}${name}`);
  }

  upload(uploadId: string): string {
    return path.join(this.uploads(), uploadId);
  }

  snapshot(facts: FolderFacts): string {
    return path.join(this.root, this.snapshotRelative(facts));
  }

  /** The snapshot's folder relative to the data root, with forward slashes. */
  snapshotRelative(facts: FolderFacts): string {
    return this.entityRelative('snapshots', facts);
  }

  crawl(facts: FolderFacts): string {
    return path.join(this.root, this.entityRelative('crawls', facts));
  }

  /** Where one output of a snapshot is linked. `outputPath` was checked by `checkOutputPath`. */
  output(facts: FolderFacts, plugin: string, outputPath: string): string {
    return within(this.snapshot(facts), path.join(plugin, ...outputPath.split('/')));
  }

  snapshotRun(snapshotId: string, generation: number): string {
    return path.join(this.runs(), `${snapshotId}-${generation}`);
  }

  crawlRun(crawlId: string, generation: number): string {
    return path.join(this.runs(), `crawl-${crawlId}-${generation}`);
  }

  private entityRelative(kind: 'snapshots' | 'crawls', facts: FolderFacts): string {
    const day = new Date(facts.createdAt).toISOString().slice(0, 10).replaceAll('-', '');
    return ['archive', 'users', facts.owner, kind, day, domainFolderName(facts.url), facts.id].join('/');
  }
}

/** Joins and proves that the result lies inside `folder`. */
export function within(folder: string, relative: string): string {
  const joined = path.resolve(folder, relative);
  if (!joined.startsWith(folder + path.sep)) {
    throw new HoldfastError('invalid_path', `The path ${JSON.stringify(relative)} leads out of its folder.`);
  }
  return joined;
}

/** What lies in a snapshot's folder beside the plugins' folders. */
export const indexFileNames = { records: 'index.jsonl', page: 'index.html', manifest: 'manifest-sha256.txt' } as const;
const ownNames = new Set<string>(Object.values(indexFileNames));

const RESERVED = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;
const SEGMENT_BYTES_MAX = 255;
const PATH_BYTES_MAX = 1024;

/**
 * Checks an output path that a client or hook gave and returns it with forward slashes. Absolute paths, empty, `.`
 * and `..` segments, NUL and control characters, reserved names and over-long segments are refused (DESIGN section 8).
 */
export function checkOutputPath(text: string): string {
  const normalized = text.replaceAll('\\', '/');
  const refuse = (why: string): never => {
    throw new HoldfastError('invalid_path', `The output path ${JSON.stringify(text.slice(0, 200))} ${why}.`);
  };
  if (normalized === '') refuse('is empty');
  if (normalized.startsWith('/') || /^[A-Za-z]:/.test(normalized))
    refuse('is absolute; give a path inside the plugin folder');
  if (Buffer.byteLength(normalized) > PATH_BYTES_MAX) refuse(`is longer than ${PATH_BYTES_MAX} bytes`);
  for (const segment of normalized.split('/')) {
    if (segment === '' || segment === '.' || segment === '..') refuse('holds an empty, "." or ".." part');
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u001f\u007f]/.test(segment)) refuse('holds a control character');
    if (RESERVED.test(segment)) refuse('holds a name that some systems reserve');
    if (Buffer.byteLength(segment) > SEGMENT_BYTES_MAX) refuse(`holds a name longer than ${SEGMENT_BYTES_MAX} bytes`);
  }
  return normalized;
}

/** Plugin names become folder names: letters, digits, `_`, `.`, `-`, at most 32, never `.` or `..` (reference 1.4). */
export function checkPluginName(text: string): string {
  const name = text
    .trim()
    .replace(/^\/+|\/+$/g, '')
    .trim();
  const isTaken = ownNames.has(name.toLowerCase());
  if (!/^[A-Za-z0-9_.-]{1,32}$/.test(name) || /^\.+$/.test(name) || RESERVED.test(name) || isTaken) {
    throw new HoldfastError(
      'invalid_plugin',
      `${JSON.stringify(text.slice(0, 60))} is no plugin name; use 1 to 32 letters, digits, "_", "." or "-".`,
    );
  }
  return name;
}
