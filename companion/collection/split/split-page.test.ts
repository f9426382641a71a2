import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { digestFromHex, digestHex, type Digest } from '../../../shared/digest/digest.ts';
import { readJoined } from './joined.ts';
import { formatRecipe, parseRecipe } from './recipe.ts';
import { splitPage, type SplitPage } from './split-page.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-split-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

const digestOf = (bytes: Buffer): Digest => digestFromHex(createHash('sha256').update(bytes).digest('hex'));
const split = (page: Buffer): SplitPage | undefined => splitPage(page, digestOf(page));
const fileOf = (digest: Digest): string => path.join(folder, digestHex(digest));

function store(page: SplitPage): void {
  for (const [digest, bytes] of page.blobs) fs.writeFileSync(fileOf(digest), bytes);
}

const picture = randomBytes(5_000);
const dataUrl = (bytes: Buffer, head = 'data:image/png;base64,'): string => head + bytes.toString('base64');

describe('a page that is split', () => {
  it('gives its bytes back, from files, whole and in any range', async () => {
    const frame = `<p>&lt;</p><img src=&quot;${dataUrl(randomBytes(2_001))}&quot;>`;
    const page = Buffer.from(
      `<!doctype html><style>a{background:url(${dataUrl(picture)})}</style>` +
        `<img src="${dataUrl(picture)}"><img srcset="${dataUrl(randomBytes(1_024))} 1x, ${dataUrl(randomBytes(3_000))} 2x">` +
        `<iframe srcdoc="${frame}"></iframe><p>Grüße \u{1f44b}</p>`,
    );
    const stored = split(page)!;
    store(stored);
    const recipe = parseRecipe(formatRecipe(stored.recipe))!;
    expect(recipe).toEqual(stored.recipe);
    expect(recipe.parts).toHaveLength(5);
    // The same picture twice is one blob; the skeleton is the fifth.
    expect(stored.blobs.size).toBe(5);
    expect(await buffer(readJoined(recipe, fileOf))).toEqual(page);
    for (const start of [0, 1, 59, 60, 61, 62, 63, 64, 100, 5_000, page.length - 3]) {
      for (const length of [1, 2, 3, 4, 5, 1_000, page.length]) {
        const end = Math.min(start + length, page.length) - 1;
        const range = await buffer(readJoined(recipe, fileOf, { start, end }));
        expect(range.equals(page.subarray(start, end + 1)), `bytes ${start} to ${end}`).toBe(true);
      }
    }
  });

  it('shows its parts beside it under names a browser understands', () => {
    const page = Buffer.from(
      `<img src="${dataUrl(picture)}"><img src="${dataUrl(picture, 'data:IMAGE/JPEG;x=1;base64,')}">`,
    );
    const { recipe, blobs } = split(page)!;
    const skeleton = blobs.get(recipe.skeleton)!.toString();
    const hex = digestHex(digestOf(picture));
    expect(skeleton).toBe(`<img src="${recipe.folder}/x${hex}.png"><img src="${recipe.folder}/x${hex}.jpg">`);
  });

  it.each([
    ['nothing embedded', '<p>plain</p>'],
    ['parts below 1 KB', `<img src="${dataUrl(randomBytes(700))}">`],
    [
      'base64 that encodes otherwise',
      `<img src="data:image/png;base64,${'QUJD'.repeat(500)}QQ=Q">`.replace('QQ=Q', 'QR=='),
    ],
    ['no data address in front', `<p>${'x'.repeat(300)};base64,${picture.toString('base64')}</p>`],
    [
      'base64 in pieces',
      `<img src="data:image/png;base64,${picture.toString('base64').replaceAll(/(.{76})/g, '$1\n')}">`,
    ],
    ['an empty page', ''],
  ])('stays whole: %s', (_what, text) => {
    expect(split(Buffer.from(text))).toBeUndefined();
  });

  it('joins back whatever bytes a page holds', async () => {
    const part = fc
      .tuple(
        fc.constantFrom(
          'data:image/png;base64,',
          'DATA:font/woff2;base64,',
          'data:;base64,',
          'data:text/html;charset=utf-8;base64,',
          ';base64,',
          'data:',
        ),
        fc.uint8Array({ maxLength: 3_000, size: 'max' }),
        fc.constantFrom('', '=', '==', '===', 'A', '"'),
      )
      .map(([head, bytes, tail]) => Buffer.concat([Buffer.from(dataUrl(Buffer.from(bytes), head)), Buffer.from(tail)]));
    const noise = fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes));
    const pages = fc.array(fc.oneof(part, noise), { maxLength: 8 }).map((pieces) => Buffer.concat(pieces));
    let splits = 0;
    await fc.assert(
      fc.asyncProperty(pages, fc.nat(), fc.nat(), async (page, first, length) => {
        const stored = split(page);
        if (!stored) return;
        splits += 1;
        store(stored);
        const start = first % page.length;
        const end = Math.min(start + length, page.length - 1);
        expect((await buffer(readJoined(stored.recipe, fileOf))).equals(page)).toBe(true);
        const range = await buffer(readJoined(stored.recipe, fileOf, { start, end }));
        expect(range.equals(page.subarray(start, end + 1))).toBe(true);
      }),
      { seed: 20261201, numRuns: 200 },
    );
    expect(splits).toBeGreaterThan(50);
  });
});

it('takes no text for a side record that is none', () => {
  expect(parseRecipe('')).toBeUndefined();
  expect(parseRecipe('{"version":1}')).toBeUndefined();
  expect(parseRecipe('{"version":2')).toBeUndefined();
});
