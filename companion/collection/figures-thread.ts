import { AskedThread } from './asked-thread.ts';
import type { TrashFigures } from './records/trash.ts';

export interface FiguresQuestion {
  /** The collection's database. */
  database: string;
}

/** Counts over the whole collection in a thread with a connection of its own (DESIGN section 3). */
export class FiguresThread extends AskedThread<FiguresQuestion, TrashFigures> {
  constructor() {
    super('figures');
  }
}
