import fs from 'node:fs/promises';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { Digest } from '../../shared/digest/digest.ts';
import { parseWebUrl } from '../../shared/url/web-url.ts';
import { recordOutlinks, type Outlink } from '../collection/records/crawl-progress.ts';
import { findCrawl } from '../collection/records/crawls.ts';
import { findProcess } from '../collection/records/processes.ts';
import { outputsOfResults, resultsOfSnapshots } from '../collection/records/results.ts';
import { addressCheckOf } from './crawl-addresses.ts';
import { HookLines, parseLinkLines } from './hook-lines.ts';
import type { SnapshotRun } from './snapshot-run.ts';

const linksFile = 'urls.jsonl';
/** Rows of one transaction. */
const linkBatch = 200;

/**
 * After the hooks have ended: links of every plugin's `urls.jsonl` and printed Snapshot records are repaired, checked
 * like submitted addresses and become children, credited to their plugin, while the crawl goes that deep. What an
 * earlier, interrupted claim recorded is read from its outputs. Targeted runs make no children.
 */
export async function recordLinks(run: SnapshotRun): Promise<void> {
  const { db } = run.context.collection;
  const snapshot = run.row();
  const crawl = findCrawl(db, run.crawl.id);
  if (run.claimedAs === 'sealed' || !crawl || snapshot.depth >= crawl.max_depth) return;
  const printed = run.links.splice(0);
  const links = [...printed, ...(await linksOfFolders(run)), ...(await linksOfEarlierClaims(run))];
  const check = addressCheckOf(run.context, crawl, true);
  const wanted = new Map<string, Outlink>();
  for (const link of links) {
    const parsed = parseWebUrl(repairLink(link.url, snapshot.url));
    if (!parsed.ok || wanted.has(parsed.url) || !check(parsed.url).ok) continue;
    wanted.set(parsed.url, { ...link, url: parsed.url });
  }
  const all = [...wanted.values()];
  const parent = { id: snapshot.id, depth: snapshot.depth, crawlId: crawl.id };
  for (let start = 0; start < all.length; start += linkBatch) {
    const batch = all.slice(start, start + linkBatch);
    await db.write(() => recordOutlinks(db, parent, batch, Date.now()));
  }
}

/**
 * What extractors commonly get wrong: brackets and quotes around it, HTML's `&amp;`, no scheme or only a path. A fragment
 * that names a place in the page is no other page; `#!` and `#/` are addresses of applications.
 */
export function repairLink(text: string, base: string): string {
  const bare = text
    .trim()
    .replace(/^[<"'(]+|[>"')]+$/g, '')
    .replaceAll('&amp;', '&');
  const isRelative = /^(?:\/|\.\.?\/|\?)/.test(bare);
  const whole = /^www\./i.test(bare) ? `http://${bare}` : bare;
  const resolved = isRelative && URL.canParse(whole, base) ? new URL(whole, base).href : whole;
  return resolved.replace(/#(?![!/]).*$/, '');
}

async function linksOfFolders(run: SnapshotRun): Promise<Outlink[]> {
  const entries = await fs.readdir(run.folder, { withFileTypes: true });
  const links: Outlink[] = [];
  for (const entry of entries) {
    if (!entry.isDirectory()) continue;
    const file = path.join(run.folder, entry.name, linksFile);
    const isFile = await fs.lstat(file).then(
      (stat) => stat.isFile(),
      () => false,
    );
    if (isFile) links.push(...credit(parseLinkLines(await fs.readFile(file, 'utf8')), entry.name));
  }
  return links;
}

/** Hooks that ended in an earlier claim do not run again; their folders are gone, their records are not. */
async function linksOfEarlierClaims(run: SnapshotRun): Promise<Outlink[]> {
  const { blobs, db } = run.context.collection;
  const results = resultsOfSnapshots(db, [run.lease.id]).filter((result) => result.status === 'succeeded');
  const outputs = outputsOfResults(
    db,
    results.map((result) => result.id),
  );
  const links: Outlink[] = [];
  for (const result of results) {
    const earlier = result.process_id === null ? undefined : findProcess(db, result.process_id);
    if (!earlier || earlier.generation === run.lease.generation) continue;
    const lines = new HookLines();
    for (const line of earlier.stdout.split('\n')) lines.push(line);
    links.push(...credit(lines.links, result.plugin));
    const file = outputs.get(result.id)?.find((output) => output.path === linksFile);
    if (file) links.push(...credit(parseLinkLines(await readText(blobs.read(file.digest as Digest))), result.plugin));
  }
  return links;
}

function credit(links: readonly Omit<Outlink, 'plugin'>[], plugin: string): Outlink[] {
  return links.map((link) => ({ ...link, plugin }));
}
