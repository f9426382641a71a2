import { encodeBase64 } from '../platform/base64.ts';

const WIDTH = 400;
const HEIGHT = 300;

/** The upper part of a picture as a small `data:` address. */
export async function makeThumbnail(bitmap: ImageBitmap): Promise<string> {
  const sourceHeight = Math.min(bitmap.height, Math.round((bitmap.width * HEIGHT) / WIDTH));
  const canvas = new OffscreenCanvas(WIDTH, Math.round((sourceHeight * WIDTH) / bitmap.width));
  const context = canvas.getContext('2d');
  if (!context) throw new Error('This browser gave no canvas for the small picture.');
  context.imageSmoothingQuality = 'high';
  context.drawImage(bitmap, 0, 0, bitmap.width, sourceHeight, 0, 0, canvas.width, canvas.height);
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.75 });
  return `data:${blob.type};base64,${encodeBase64(new Uint8Array(await blob.arrayBuffer()))}`;
}
