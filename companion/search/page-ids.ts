/** Row ids are the bookmark's milliseconds times this, plus a counter: order of ids is order of time (until 2248). */
export const idSlotsPerMs = 1024;

/** First id of a time in milliseconds. */
export function firstIdAt(timeMs: number): number {
  return Math.trunc(timeMs) * idSlotsPerMs;
}
