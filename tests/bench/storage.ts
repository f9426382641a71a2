import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { digestFromHex, type Digest } from '../../shared/digest/digest.ts';
import { openCollection } from '../../companion/collection/open-collection.ts';
import { splitPage } from '../../companion/collection/split/split-page.ts';

const captures = 20;
const KB = 1000;

export interface StorageFigures {
  /** Bytes of whole copies. */
  wholeBytes: number;
  /** Bytes under `blobs/`, side records included. */
  storedBytes: number;
  /** Stored beside whole. */
  share: number;
  /** MB of page per second, without the disk. */
  splitMbPerSecond: number;
  /** MB of page per second, from the collection's files. */
  joinMbPerSecond: number;
}

/**
 * Twenty captures of one slowly changing page: 24 to 30 pictures, 30 kB of styles, a font of 760 kB that page and
 * frame use; a paragraph changes each time, a picture comes in with every third (experiments, section 11).
 */
function* capturedPages(): Generator<Buffer> {
  const embedded = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString('base64')}`;
  const font = embedded('font/woff2', randomBytes(760 * KB));
  const styles = `@font-face{font-family:x;src:url(${font})}${'.rule{color:#123456;margin:0 auto}'.repeat(900)}`;
  const pictures = Array.from({ length: 24 }, () => randomBytes(30 * KB + Math.floor(Math.random() * 140 * KB)));
  const frame = `<style>@font-face{font-family:x;src:url(${font})}</style><p>A frame.</p>`;
  for (let capture = 0; capture < captures; capture += 1) {
    if (capture > 0 && capture % 3 === 0) pictures.push(randomBytes(100 * KB));
    const images = pictures.map((bytes) => `<img src="${embedded('image/png', bytes)}">`).join('<p>Text between.</p>');
    const srcdoc = frame.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    yield Buffer.from(
      `<!doctype html><style>${styles}</style><p>Version ${capture}.</p>${images}<iframe srcdoc="${srcdoc}"></iframe>`,
    );
  }
}

export async function run(): Promise<StorageFigures> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-bench-'));
  const collection = await openCollection(path.join(folder, 'data'));
  try {
    const digests: Digest[] = [];
    let wholeBytes = 0;
    let splitMs = 0;
    for (const page of capturedPages()) {
      const digest = digestFromHex(createHash('sha256').update(page).digest('hex'));
      wholeBytes += page.length;
      const startedAt = performance.now();
      splitPage(page, digest);
      splitMs += performance.now() - startedAt;
      const staged = path.join(folder, 'page.html');
      fs.writeFileSync(staged, page);
      await collection.gate.promoteStaged(staged, digest, { mimetype: 'text/html', path: 'page.html' });
      digests.push(digest);
    }
    const storedBytes = bytesBelow(collection.layout.blobs());
    const startedAt = performance.now();
    for (const digest of digests) await readBack(collection.blobs.read(digest), digest);
    const joinMs = performance.now() - startedAt;
    const figures = {
      wholeBytes,
      storedBytes,
      share: storedBytes / wholeBytes,
      splitMbPerSecond: wholeBytes / 1000 / splitMs,
      joinMbPerSecond: wholeBytes / 1000 / joinMs,
    };
    print(figures);
    return figures;
  } finally {
    collection.close();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

async function readBack(bytes: AsyncIterable<Buffer>, digest: Digest): Promise<void> {
  const hash = createHash('sha256');
  for await (const piece of bytes) hash.update(piece);
  if (digestFromHex(hash.digest('hex')) !== digest) throw new Error('a page did not come back as it was');
}

function bytesBelow(folder: string): number {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files.reduce((sum, file) => sum + fs.statSync(path.join(file.parentPath, file.name)).size, 0);
}

function print(figures: StorageFigures): void {
  const mb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  process.stdout.write(
    `${captures} captures of one page: ${mb(figures.wholeBytes)} whole, ${mb(figures.storedBytes)} stored, ` +
      `share ${figures.share.toFixed(3)} (goal at most 0.100)\n` +
      `split ${figures.splitMbPerSecond.toFixed(0)} MB/s in memory, join ${figures.joinMbPerSecond.toFixed(0)} MB/s ` +
      `from files with the digest checked\n`,
  );
}
