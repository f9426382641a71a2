import { PNG } from 'pngjs';
import type { Page } from 'puppeteer-core';

/** How much of what the page shows is bright red, from 0 to 1. */
export async function redShare(page: Page): Promise<number> {
  const { data } = PNG.sync.read(Buffer.from(await page.screenshot()));
  let red = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (data[at]! > 200 && data[at + 1]! < 60 && data[at + 2]! < 60) red += 1;
  }
  return red / (data.length / 4);
}
