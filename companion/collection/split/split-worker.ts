import { parentPort } from 'node:worker_threads';
import type { Answered, Asked } from '../asked-thread.ts';
import { splitFile, type StagedSplit } from './split-file.ts';
import type { SplitQuestion } from './split-thread.ts';

parentPort?.on('message', ({ id, question }: Asked<SplitQuestion>) => {
  let answer: StagedSplit | undefined;
  try {
    answer = splitFile(question.file, question.digest, question.staging);
  } catch {
    // A page that cannot be taken apart, for want of disk or for damage, is stored whole; the gate reports what fails.
    answer = undefined;
  }
  parentPort?.postMessage({ id, answer } satisfies Answered<StagedSplit>);
});
