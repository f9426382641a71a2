import { fileURLToPath } from 'node:url';
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
    super('thumbnails', workerFile, { maxOldGenerationSizeMb: MEMORY_MIB });
  }

  /** The picture scaled down to `widthMax` pixels. Takes over `png`'s memory. */
  scale(png: Uint8Array<ArrayBuffer>, widthMax: number): Promise<Uint8Array | undefined> {
    return this.ask({ png, widthMax }, [png.buffer]);
  }
}

/** Beside this file's bundle in the build; from the sources (tests) the built one, because Node runs no TypeScript. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(
    new URL(isSource ? '../../../dist/companion/thumbnail-worker.js' : './thumbnail-worker.js', import.meta.url),
  );
}
