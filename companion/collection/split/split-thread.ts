import { fileURLToPath } from 'node:url';
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
    super('split', workerFile);
  }
}

/** Beside this file's bundle in the build; from the sources (tests) the built one, because Node runs no TypeScript. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(
    new URL(isSource ? '../../../dist/companion/split-worker.js' : './split-worker.js', import.meta.url),
  );
}
