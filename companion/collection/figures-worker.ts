import { parentPort } from 'node:worker_threads';
import type { Answered, Asked } from './asked-thread.ts';
import { Db } from './database.ts';
import type { FiguresQuestion } from './figures-thread.ts';
import { trashFigures, type TrashFigures } from './records/trash.ts';

parentPort?.on('message', ({ id, question }: Asked<FiguresQuestion>) => {
  const db = new Db(question.database);
  try {
    parentPort?.postMessage({ id, answer: trashFigures(db) } satisfies Answered<TrashFigures>);
  } finally {
    db.close();
  }
});
