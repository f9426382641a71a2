/**
 * Places dots on a line from 0 to 1 by their times, pushed apart so that neighbours keep `gap` where the line has room
 * for all of them. Order is kept; the first and last stay at the ends unless there is a single one (in the middle).
 * `times` ascending.
 */
export function spreadOnLine(times: readonly number[], gap: number): number[] {
  const first = times[0];
  const last = times.at(-1);
  if (first === undefined || last === undefined) return [];
  if (times.length === 1) return [0.5];
  const even = 1 / (times.length - 1);
  const room = Math.min(gap, even);
  const span = last - first;
  const placed = times.map((time, index) => (span === 0 ? index * even : (time - first) / span));
  for (let index = 1; index < placed.length; index += 1) {
    placed[index] = Math.max(placed[index]!, placed[index - 1]! + room);
  }
  // Pushing to the right may have left the line; the same from the other end brings all back.
  placed[placed.length - 1] = 1;
  for (let index = placed.length - 2; index >= 0; index -= 1) {
    placed[index] = Math.min(placed[index]!, placed[index + 1]! - room);
  }
  return placed.map((position) => Math.min(1, Math.max(0, position)));
}

/** At most `size` neighbours with the one at `index` among them, in the middle where the ends allow it. */
export function windowAround<Item>(items: readonly Item[], index: number, size: number): readonly Item[] {
  const start = Math.max(0, Math.min(index - Math.floor(size / 2), items.length - size));
  return items.slice(start, start + size);
}
