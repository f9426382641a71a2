import path from 'node:path';
import { digestHex, type Digest } from '../../../shared/digest/digest.ts';

/** Ends the name of a page's side record. */
export const sideRecordSuffix = '.parts';

/** Names in a store of blobs by digest: `ab/<hex>` and, for pages stored split, `ab/<hex>.parts`. */
export class BlobFolder {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  file(digest: Digest): string {
    const hex = digestHex(digest);
    return path.join(this.root, hex.slice(0, 2), hex);
  }

  /** How to join a page that is stored split. */
  sideRecord(digest: Digest): string {
    return `${this.file(digest)}${sideRecordSuffix}`;
  }
}
