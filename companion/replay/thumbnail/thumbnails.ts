import path from 'node:path';
import { digestHex, parseDigest, type Digest } from '../../../shared/digest/digest.ts';
import { limits } from '../../../shared/limits.ts';
import type { Collection } from '../../collection/open-collection.ts';
import { cropPng } from './crop-png.ts';
import { PictureCache } from './picture-cache.ts';
import { ThumbnailThread } from './thumbnail-thread.ts';

export interface Thumbnail {
  body: Uint8Array;
  type: string;
  /** Quoted, as the header wants it. */
  etag: string;
}

const WIDTH_PX = 320;
/** Rows to show of a page, as a screen does: sixteen wide, ten high. */
const rowsOf = (widthPx: number) => Math.max(1, Math.round((widthPx * 10) / 16));
const PIXELS_MAX = 32_000_000;

/** Small pictures of kept pages, made on demand and kept in the cache folder by the digest of what they show. */
export class Thumbnails {
  private readonly collection: Pick<Collection, 'blobs' | 'layout'>;
  private readonly cache: PictureCache;
  private readonly thread = new ThumbnailThread();
  private readonly making = new Map<Digest, Promise<Uint8Array | undefined>>();

  constructor(collection: Pick<Collection, 'blobs' | 'layout'>) {
    this.collection = collection;
    this.cache = new PictureCache(path.join(collection.layout.cache(), 'thumbnails'), limits.thumbnailCacheBytesMax);
  }

  /** The top of a full-page PNG, 320 pixels wide; undefined when the bytes are gone or cannot be shown. */
  async of(screenshotDigest: string): Promise<Thumbnail | undefined> {
    const digest = parseDigest(screenshotDigest);
    const body = digest && (await this.cached(digest));
    return body && { body, type: 'image/png', etag: `"${digestHex(digest)}-${WIDTH_PX}"` };
  }

  close(): Promise<void> {
    return this.thread.close();
  }

  private async cached(digest: Digest): Promise<Uint8Array | undefined> {
    const name = path.join(digestHex(digest).slice(0, 2), `${digestHex(digest)}-${WIDTH_PX}.png`);
    const there = await this.cache.read(name);
    if (there) return there;
    const running = this.making.get(digest);
    if (running) return running;
    const made = this.make(digest, name).finally(() => this.making.delete(digest));
    this.making.set(digest, made);
    return made;
  }

  private async make(digest: Digest, name: string): Promise<Uint8Array | undefined> {
    if ((await this.collection.blobs.size(digest)) === undefined) return undefined;
    const top = await cropPng(this.collection.blobs.read(digest), rowsOf, PIXELS_MAX);
    const png = top && (await this.thread.scale(new Uint8Array(top), WIDTH_PX));
    if (!png) return undefined;
    await this.cache.write(name, png);
    return png;
  }
}
