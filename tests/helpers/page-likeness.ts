import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';
import type { Page } from 'puppeteer-core';
import type { SerializedAXNode } from 'puppeteer-core';

/**
 * Everything a person can read on the page, in order: text of every frame and of open and closed shadow roots, and
 * what stands in form fields.
 */
export async function readableText(page: Page): Promise<string[]> {
  const root = await page.accessibility.snapshot({ interestingOnly: false, includeIframes: true });
  const found: string[] = [];
  const visit = (node: SerializedAXNode): void => {
    if (node.role === 'StaticText' && node.name?.trim()) found.push(node.name.trim());
    if (node.role === 'textbox' && node.value !== undefined) found.push(`[${String(node.value)}]`);
    if (node.role === 'checkbox') found.push(`[${String(node.checked)}]`);
    for (const child of node.children ?? []) visit(child);
  };
  if (root) visit(root);
  return found;
}

/** The whole page as a picture. */
export async function wholePicture(page: Page): Promise<Buffer> {
  return Buffer.from(await page.screenshot({ fullPage: true, captureBeyondViewport: true }));
}

export interface Likeness {
  /** Width and height of both pictures. */
  sizes: [number, number][];
  /** Share of differing pixels of the part both have, 0 to 1. */
  differing: number;
}

export function comparePictures(a: Buffer, b: Buffer): Likeness {
  const [left, right] = [PNG.sync.read(a), PNG.sync.read(b)];
  const width = Math.min(left.width, right.width);
  const height = Math.min(left.height, right.height);
  const count = pixelmatch(crop(left, width, height), crop(right, width, height), undefined, width, height, {
    threshold: 0.1,
  });
  return {
    sizes: [
      [left.width, left.height],
      [right.width, right.height],
    ],
    differing: count / (width * height),
  };
}

function crop(png: PNG, width: number, height: number): Uint8Array {
  if (png.width === width) return png.data.subarray(0, width * height * 4);
  const cropped = new PNG({ width, height });
  PNG.bitblt(png, cropped, 0, 0, width, height, 0, 0);
  return cropped.data;
}

/** Colours of a picture's pixels with their share, the most frequent first, as `rrggbb`. */
export function mainColors(picture: Buffer): Map<string, number> {
  const png = PNG.sync.read(picture);
  const counts = new Map<string, number>();
  for (let at = 0; at < png.data.length; at += 4) {
    const color = png.data.subarray(at, at + 3).toString('hex');
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const pixels = png.width * png.height;
  return new Map([...counts].sort((a, b) => b[1] - a[1]).map(([color, count]) => [color, count / pixels]));
}
