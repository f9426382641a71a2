import { captureTaken } from '../../outbox/transitions.ts';
import { keepUnscriptable } from './keep-unscriptable.ts';
import { LEFT, Taking } from './taking.ts';
import type { TakeDoors, TakeWish } from './taking.ts';

/**
 * Takes every planned witness of one document, each on its own: a failing one never costs another. The order disturbs
 * the page least: first what the person sees, then one look over the page so that waiting pictures come, then the two
 * copies close together, and at last the tall picture, which has to scroll.
 */
export async function takeWitnesses(doors: TakeDoors, wish: TakeWish): Promise<void> {
  const taking = new Taking(doors, wish);
  try {
    if (wish.page) await taking.takePage(wish.page);
    else await keepUnscriptable(taking);
    await taking.takeFacts();
  } finally {
    taking.watch.stop();
    const why = wish.signal.aborted ? 'You stopped it.' : LEFT;
    await doors.outbox.change(wish.record.id, (record) => captureTaken(record, why));
  }
}
