import type { Digest } from '../../../shared/digest/digest.ts';
import { AskedThread } from '../asked-thread.ts';
import type { StagedSplit } from './split-file.ts';

export interface SplitQuestion {
  file: string;
  digest: Digest;
  /** Folder for the parts, on the file system of the blobs. */
  staging: string;
}

/** Takes pages apart in a thread of its own (5 ms per MB). No answer means that the page is to be stored whole. */
export class SplitThread extends AskedThread<SplitQuestion, StagedSplit> {
  constructor() {
    super('split');
  }
}
