import { AskedThread } from '../../collection/asked-thread.ts';

export interface ThumbnailQuestion {
  png: Uint8Array<ArrayBuffer>;
  /** Pixels. */
  widthMax: number;
}

const MEMORY_MIB = 192;

/** Makes small pictures in a thread of its own. No answer means that the picture cannot be decoded. */
export class ThumbnailThread extends AskedThread<ThumbnailQuestion, Uint8Array> {
  constructor() {
    super('thumbnail', { maxOldGenerationSizeMb: MEMORY_MIB });
  }

  /** The picture scaled down to `widthMax` pixels. Takes over `png`'s memory. */
  scale(png: Uint8Array<ArrayBuffer>, widthMax: number): Promise<Uint8Array | undefined> {
    return this.ask({ png, widthMax }, [png.buffer]);
  }
}
