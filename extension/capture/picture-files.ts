import { limits } from '../../shared/limits.ts';
import type { OpenFile } from './file-sink.ts';
import { PngStream } from './png-stream.ts';
import { pictureName } from './stitch.ts';

/** Rows read from a canvas at one time. */
const ROWS_AT_ONCE = 256;

/** One tall picture as a row of files, each at most 32 000 device pixels high. */
export class PictureFiles {
  readonly #openFile: OpenFile;
  #current: PngStream | undefined;
  #files = 0;
  #rows = 0;

  constructor(openFile: OpenFile) {
    this.#openFile = openFile;
  }

  /** Rows written so far over all files. */
  get rows(): number {
    return this.#rows;
  }

  /** Appends `count` rows of a picture, beginning with row `from`, cropped to `width` device pixels. */
  async append(bitmap: ImageBitmap, width: number, from: number, count: number): Promise<void> {
    const canvas = new OffscreenCanvas(width, ROWS_AT_ONCE);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context) throw new Error('This browser gave no canvas to put the picture together.');
    let row = from;
    while (row < from + count) {
      const picture = (this.#current ??= new PngStream(width));
      const room = limits.screenshotHeightPxMax - picture.height;
      const rows = Math.min(ROWS_AT_ONCE, from + count - row, room);
      context.clearRect(0, 0, width, ROWS_AT_ONCE);
      context.drawImage(bitmap, 0, row, width, rows, 0, 0, width, rows);
      await picture.writeRows(context.getImageData(0, 0, width, rows).data);
      row += rows;
      this.#rows += rows;
      if (picture.height === limits.screenshotHeightPxMax) await this.#closeCurrent();
    }
  }

  /** Writes what is still open. */
  async finish(): Promise<void> {
    await this.#closeCurrent();
  }

  async #closeCurrent(): Promise<void> {
    const picture = this.#current;
    if (!picture) return;
    this.#current = undefined;
    const sink = await this.#openFile(pictureName(this.#files), 'image/png');
    this.#files += 1;
    try {
      await picture.finish((bytes) => sink.write(bytes));
      await sink.close();
    } catch (error) {
      await sink.abandon();
      throw error;
    }
  }
}
