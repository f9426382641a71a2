import type { Digest } from '../../../shared/digest/digest.ts';

/** One thing whose bytes are to be read, with the digest they should have. */
export interface Look {
  digest: Digest;
  /** A blob's file, or a file of a snapshot's folder that is no link to one. */
  file: string;
  /** Set for a page that is stored split: the root of the blobs, for its skeleton and parts. */
  joinedIn?: string | undefined;
}

/** Undefined when the bytes are right. */
export type Damage = 'missing' | 'changed' | 'unreadable' | undefined;

/** A batch for one thread; answers stand in the order of the looks. */
export interface LookAnswer {
  damages: Damage[];
  /** Read from disk. */
  bytes: number;
}
