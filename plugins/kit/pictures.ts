import type { CdpSession } from './cdp.ts';

/** Device pixels of one picture; taller ones go on in a next picture. */
const pictureHeightMax = 32_000;
/** No page is worth more pictures; what lies below is said to be missing. */
const picturesMax = 8;

export interface FullPagePictures {
  pictures: Buffer[];
  width: number;
  height: number;
  /** Pixels at the lower end that no picture shows. */
  missing: number;
}

/** The whole page as PNG pictures from top to bottom. */
export async function takeFullPagePictures(session: CdpSession): Promise<FullPagePictures> {
  const { cssContentSize } = await session.send('Page.getLayoutMetrics');
  const width = Math.max(1, Math.ceil(cssContentSize.width));
  const height = Math.max(1, Math.ceil(cssContentSize.height));
  const pictures: Buffer[] = [];
  for (let y = 0; y < height && pictures.length < picturesMax; y += pictureHeightMax) {
    const { data } = await session.send('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: true,
      clip: { x: 0, y, width, height: Math.min(pictureHeightMax, height - y), scale: 1 },
    });
    pictures.push(Buffer.from(data, 'base64'));
  }
  return { pictures, width, height, missing: Math.max(0, height - pictureHeightMax * picturesMax) };
}
