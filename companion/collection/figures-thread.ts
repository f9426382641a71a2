import { fileURLToPath } from 'node:url';
import { AskedThread } from './asked-thread.ts';
import type { TrashFigures } from './records/trash.ts';

export interface FiguresQuestion {
  /** The collection's database. */
  database: string;
}

/** Counts over the whole collection in a thread with a connection of its own (DESIGN section 3). */
export class FiguresThread extends AskedThread<FiguresQuestion, TrashFigures> {
  constructor() {
    super('figures', workerFile);
  }
}

/** Beside this file's bundle in the build; from the sources (tests) the built one, because Node runs no TypeScript. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts');
  return fileURLToPath(
    new URL(isSource ? '../../dist/companion/figures-worker.js' : './figures-worker.js', import.meta.url),
  );
}
