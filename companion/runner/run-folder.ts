import { constants, createWriteStream } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Digest } from '../../shared/digest/digest.ts';
import { hookLogSuffixes } from '../../shared/plugin-contract/records.ts';
import { checkOutputPath, within } from '../collection/layout.ts';
import type { Collection } from '../collection/open-collection.ts';
import { outputsOfResults, resultsOfSnapshots } from '../collection/records/results.ts';

/** Under which names derived hooks find what a browser delivered (DESIGN section 5). */
export const captureFolders: Readonly<Record<string, string>> = {
  chrome_extension_singlefile: 'singlefile',
  chrome_extension_mhtml: 'chrome_mhtml',
  chrome_extension_screenshot: 'screenshot',
  chrome_extension_dom: 'dom',
};

/** Files through which hooks share a tab while it is open; they mean nothing afterwards. */
const tabFiles = new Set(['chrome/cdp_url.txt', 'chrome/target_id.txt', 'chrome/url.txt', 'chrome/port.txt']);

/**
 * Lays the recorded outputs of a snapshot into a run folder as siblings: copies or reflinks, never links to blobs,
 * because a hook may write to what it finds. Plugins that will run themselves start with an empty folder.
 */
export async function layOutSiblings(
  collection: Collection,
  snapshotId: string,
  runFolder: string,
  willRun: ReadonlySet<string>,
): Promise<void> {
  const results = resultsOfSnapshots(collection.db, [snapshotId]).filter((result) => result.status === 'succeeded');
  const outputs = outputsOfResults(
    collection.db,
    results.map((result) => result.id),
  );
  // The browser's captures come last: what the person saw replaces what was fetched before.
  const ordered = [...results].sort((a, b) => Number(a.plugin in captureFolders) - Number(b.plugin in captureFolders));
  for (const result of ordered) {
    const folders = [result.plugin, captureFolders[result.plugin]].filter(
      (name) => name !== undefined && !willRun.has(name),
    );
    for (const output of outputs.get(result.id) ?? []) {
      for (const folder of folders) {
        const target = within(runFolder, path.join(folder!, ...output.path.split('/')));
        await copyOutput(collection, output.digest as Digest, target);
      }
    }
  }
}

async function copyOutput(collection: Collection, digest: Digest, target: string): Promise<void> {
  await fs.mkdir(path.dirname(target), { recursive: true });
  await fs.rm(target, { force: true });
  // A hook gets one file, however the collection keeps it.
  if (await collection.blobs.recipe(digest)) await pipeline(collection.blobs.read(digest), createWriteStream(target));
  else await fs.copyFile(collection.layout.blob(digest), target, constants.COPYFILE_FICLONE);
  await fs.chmod(target, 0o644);
}

/** A file a hook left, with the facts that tell whether somebody wrote to it later. */
export interface FoundFile {
  /** Inside the plugin's folder, with forward slashes, checked. */
  path: string;
  file: string;
  signature: string;
}

export interface FoundFiles {
  files: FoundFile[];
  /** Names that cannot be kept, with the reason. */
  refused: string[];
}

/**
 * Regular files in a plugin's folder that are new or changed since `known` was filled. Links are not followed. Logs of
 * the run and the files of an open tab are no outputs.
 */
export async function findOutputs(
  runFolder: string,
  plugin: string,
  known: ReadonlyMap<string, string>,
): Promise<FoundFiles> {
  const folder = path.join(runFolder, plugin);
  const found: FoundFiles = { files: [], refused: [] };
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const relative = path.relative(folder, file).split(path.sep).join('/');
    if (isRunFile(plugin, relative)) continue;
    const stat = await fs.lstat(file, { bigint: true });
    const signature = `${stat.ino}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
    if (known.get(`${plugin}/${relative}`) === signature) continue;
    try {
      found.files.push({ path: checkOutputPath(relative), file, signature });
    } catch (error) {
      found.refused.push((error as Error).message);
    }
  }
  found.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return found;
}

function isRunFile(plugin: string, relative: string): boolean {
  if (tabFiles.has(`${plugin}/${relative}`)) return true;
  // Only beside the outputs: a repository that a hook cloned may hold shell scripts of its own.
  return !relative.includes('/') && hookLogSuffixes.some((suffix) => relative.endsWith(suffix));
}

export async function removeRunFolder(folder: string): Promise<void> {
  await fs.rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
