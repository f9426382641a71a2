/** Something took longer than it may. The message is a sentence for a person. */
export class DeadlinePassed extends Error {}

/**
 * Waits for the promise at most `ms` milliseconds. What the promise does afterwards is ignored.
 * @throws DeadlinePassed with the given sentence
 */
export function withDeadline<Value>(promise: Promise<Value>, ms: number, sentence: string): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DeadlinePassed(sentence)), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
