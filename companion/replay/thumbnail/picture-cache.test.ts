import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PictureCache } from './picture-cache.ts';

const KIB = 1024;

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-cache-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function held(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

/** Writes a picture of 1 KiB that was made in this second. */
async function writeAged(cache: PictureCache, folder: string, name: string, second: number): Promise<void> {
  await cache.write(name, Buffer.alloc(KIB, second));
  utimesSync(join(folder, name), second, second);
}

test('holds no more than it may, the oldest go first, and what is there is read', async () => {
  const folder = temporaryFolder();
  const cache = new PictureCache(folder, 10 * KIB);
  for (let second = 1; second <= 10; second += 1) await writeAged(cache, folder, `a/${second}.png`, second);
  expect(held(folder)).toHaveLength(10);
  await cache.write('b/new.png', Buffer.alloc(KIB, 77));
  expect(held(folder)).toEqual(['a/10.png', ...[3, 4, 5, 6, 7, 8, 9].map((n) => `a/${n}.png`), 'b/new.png']);
  expect(await cache.read('a/1.png')).toBeUndefined();
  expect(await cache.read('b/new.png')).toEqual(Buffer.alloc(KIB, 77));
});

test('counts what an earlier run of the program left, and many writes at once', async () => {
  const folder = temporaryFolder();
  const earlier = new PictureCache(folder, 100 * KIB);
  for (let second = 1; second <= 30; second += 1) await writeAged(earlier, folder, `a/${second}.png`, second);
  const cache = new PictureCache(folder, 10 * KIB);
  await Promise.all(Array.from({ length: 20 }, (_, index) => cache.write(`b/${index}.png`, Buffer.alloc(KIB))));
  await cache.write('b/last.png', Buffer.alloc(KIB));
  expect(held(folder).length).toBeLessThanOrEqual(10);
  expect(held(folder).filter((name) => name.startsWith('a/'))).toEqual([]);
});
