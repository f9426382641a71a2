/** A stretch of text that both versions have, or only the older (`removed`) or only the newer one (`added`). */
export interface Stretch {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/**
 * Beyond so many changed words two texts are different texts: marking each would help nobody, and the work grows with
 * the square of this.
 */
const changesMax = 600;

/**
 * What changed between two texts, word by word. Joining all but `added` gives the older text, all but `removed` the
 * newer one. Texts with more changes than a reader could follow come back as one removal and one addition.
 */
export function diffWords(older: string, newer: string): Stretch[] {
  const from = tokens(older);
  const to = tokens(newer);
  const head = commonHead(from, to);
  const tail = commonTail(from, to, head);
  const middle = diffTokens(from.slice(head, from.length - tail), to.slice(head, to.length - tail));
  const same = (words: string[]): Stretch => ({ kind: 'same', text: words.join('') });
  return merge([same(from.slice(0, head)), ...middle, same(from.slice(from.length - tail))]);
}

/** Words with the white space behind them. */
function tokens(text: string): string[] {
  return text.match(/\S+\s*|^\s+/g) ?? [];
}

function commonHead(from: string[], to: string[]): number {
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head += 1;
  return head;
}

function commonTail(from: string[], to: string[], head: number): number {
  let tail = 0;
  const room = Math.min(from.length, to.length) - head;
  while (tail < room && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1;
  return tail;
}

/** Myers' greedy search for the shortest edit script, kept as one map of furthest points for each number of changes. */
function diffTokens(from: string[], to: string[]): Stretch[] {
  const trace: Map<number, number>[] = [];
  let furthest = new Map([[1, 0]]);
  for (let changes = 0; changes <= Math.min(changesMax, from.length + to.length); changes += 1) {
    trace.push(new Map(furthest));
    furthest = advance(from, to, furthest, changes);
    if ((furthest.get(from.length - to.length) ?? -1) >= from.length) return walkBack(from, to, trace);
  }
  return [
    { kind: 'removed', text: from.join('') },
    { kind: 'added', text: to.join('') },
  ];
}

function advance(from: string[], to: string[], before: Map<number, number>, changes: number): Map<number, number> {
  const after = new Map(before);
  for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
    let x = startOf(before, diagonal, changes);
    while (x < from.length && x - diagonal < to.length && from[x] === to[x - diagonal]) x += 1;
    after.set(diagonal, x);
  }
  return after;
}

/** Comes down from the diagonal above (an addition) or over from the one below (a removal), whichever is further. */
function startOf(furthest: Map<number, number>, diagonal: number, changes: number): number {
  const below = furthest.get(diagonal - 1) ?? -1;
  const above = furthest.get(diagonal + 1) ?? -1;
  return diagonal === -changes || (diagonal !== changes && below < above) ? above : below + 1;
}

function walkBack(from: string[], to: string[], trace: Map<number, number>[]): Stretch[] {
  const stretches: Stretch[] = [];
  let x = from.length;
  let y = to.length;
  for (let changes = trace.length - 1; changes >= 0; changes -= 1) {
    const diagonal = x - y;
    const start = startOf(trace[changes]!, diagonal, changes);
    for (; x > start && y > start - diagonal; x -= 1, y -= 1) stretches.push({ kind: 'same', text: from[x - 1]! });
    if (changes === 0) break;
    const added = start === (trace[changes]!.get(diagonal + 1) ?? -1) && x === start;
    stretches.push(added ? { kind: 'added', text: to[y - 1]! } : { kind: 'removed', text: from[x - 1]! });
    if (added) y -= 1;
    else x -= 1;
  }
  return stretches.toReversed();
}

/** Joins neighbours of one kind and drops empty ones. */
function merge(stretches: Stretch[]): Stretch[] {
  const merged: Stretch[] = [];
  for (const stretch of stretches) {
    const last = merged.at(-1);
    if (stretch.text === '') continue;
    if (last?.kind === stretch.kind) last.text += stretch.text;
    else merged.push({ ...stretch });
  }
  return merged;
}
