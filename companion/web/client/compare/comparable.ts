import type { ReplayOutput } from '../api/snapshots.ts';
import { readerKind } from '../snapshot/outputs.ts';

/** One way to hold two copies against each other. */
export interface Comparison {
  by: 'picture' | 'text';
  older: ReplayOutput;
  newer: ReplayOutput;
}

/** The ways in which two copies can be compared: what both have, made by the same plugin where possible. */
export function comparable(older: readonly ReplayOutput[], newer: readonly ReplayOutput[]): Comparison[] {
  return (['picture', 'text'] as const).flatMap((by) => {
    const fits = (output: ReplayOutput) =>
      readerKind(output) === by && (by === 'picture' || output.mimetype.startsWith('text/plain'));
    const first = older.filter(fits);
    const second = newer.filter(fits);
    const pair = first.flatMap((one) => {
      const same = second.find((other) => other.plugin === one.plugin && other.path === one.path);
      return same ? [{ by, older: one, newer: same }] : [];
    })[0];
    if (pair) return [pair];
    return first[0] && second[0] ? [{ by, older: first[0], newer: second[0] }] : [];
  });
}
