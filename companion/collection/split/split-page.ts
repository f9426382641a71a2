import { createHash, type Hash } from 'node:crypto';
import { digestFromHex, digestHex, type Digest } from '../../../shared/digest/digest.ts';
import { findParts, type FoundPart } from './find-parts.ts';
import { partsFolder, segmentsOf, type Recipe, type RecipePart } from './recipe.ts';

export interface SplitPage {
  recipe: Recipe;
  /** Skeleton and parts by digest, each once. */
  blobs: Map<Digest, Buffer>;
}

/** Below this nothing is gained (experiments, section 11). */
const PART_BYTES_MIN = 1024;
/** Each part costs a file and a sync; pages with more keep their smallest parts inside. */
const PARTS_MAX = 2000;

/** So that a browser opening the folder's copy knows the type; anything else is shown by its first bytes. */
const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
  'application/font-woff': 'woff',
  'application/font-woff2': 'woff2',
  'text/css': 'css',
  'text/html': 'html',
  'video/mp4': 'mp4',
  'audio/mpeg': 'mp3',
};

/**
 * Takes the embedded parts out of a page (DESIGN section 7). Undefined when there is nothing to take out or when
 * joining would not give the same bytes; such a page is stored whole.
 */
export function splitPage(page: Buffer, digest: Digest): SplitPage | undefined {
  const folder = partsFolder(digest);
  const blobs = new Map<Digest, Buffer>();
  const pieces: Buffer[] = [];
  const parts: RecipePart[] = [];
  let from = 0;
  let at = 0;
  for (const found of largest(findParts(page, PART_BYTES_MIN))) {
    const taken = takeOut(page, found);
    if (!taken) continue;
    const before = page.subarray(from, found.start);
    at += before.length;
    blobs.set(taken.part.digest, taken.bytes);
    parts.push({ ...taken.part, at });
    const name = Buffer.from(`${folder}/${taken.part.name}`, 'latin1');
    pieces.push(before, name);
    at += name.length;
    from = found.end;
  }
  if (parts.length === 0) return undefined;
  pieces.push(page.subarray(from));
  const skeleton = Buffer.concat(pieces);
  const skeletonDigest = digestOf(createHash('sha256').update(skeleton));
  blobs.set(skeletonDigest, skeleton);
  const recipe: Recipe = {
    version: 1,
    digest,
    size: page.length,
    skeleton: skeletonDigest,
    skeletonSize: skeleton.length,
    folder,
    parts,
  };
  return joinedDigest(recipe, blobs) === digest ? { recipe, blobs } : undefined;
}

function largest(found: readonly FoundPart[]): FoundPart[] {
  if (found.length <= PARTS_MAX) return [...found];
  const bySize = [...found].sort((a, b) => b.end - b.payload - (a.end - a.payload));
  return bySize.slice(0, PARTS_MAX).sort((a, b) => a.start - b.start);
}

/** The decoded part, only when encoding it again gives the same characters. */
function takeOut(page: Buffer, found: FoundPart): { part: Omit<RecipePart, 'at'>; bytes: Buffer } | undefined {
  const encoded = page.toString('latin1', found.payload, found.end);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  const head = page.toString('latin1', found.start, found.payload);
  const digest = digestOf(createHash('sha256').update(bytes));
  const type = /^data:([^;,]*)/i.exec(head)?.[1]?.toLowerCase() ?? '';
  const name = `x${digestHex(digest)}.${extensions[type] ?? 'bin'}`;
  return { part: { name, head, digest, size: bytes.length }, bytes };
}

/** Joins once, without keeping the result: the proof that the original may go. */
function joinedDigest(recipe: Recipe, blobs: ReadonlyMap<Digest, Buffer>): Digest {
  const hash = createHash('sha256');
  for (const segment of segmentsOf(recipe)) {
    if (segment.kind === 'text') hash.update(segment.text, 'latin1');
    else if (segment.kind === 'base64') hash.update(blobs.get(segment.blob)!.toString('base64'), 'latin1');
    else hash.update(blobs.get(segment.blob)!.subarray(segment.start, segment.start + segment.length));
  }
  return digestOf(hash);
}

function digestOf(hash: Hash): Digest {
  return digestFromHex(hash.digest('hex'));
}
