import { parentPort } from 'node:worker_threads';
import type { Answered, Asked } from '../asked-thread.ts';
import type { Look, LookAnswer } from './look.ts';
import { readLooks } from './read-digest.ts';

parentPort?.on('message', ({ id, question }: Asked<readonly Look[]>) => {
  void readLooks(question).then((answer) => parentPort?.postMessage({ id, answer } satisfies Answered<LookAnswer>));
});
