/** A frame that took our script: the numbers of the frames that lead to it from the top, and how many it holds. */
export interface FramePlace {
  path: number[];
  children: number;
}

/**
 * How many frames the page has as far as those that answered can tell: themselves, what they hold, and what lies
 * between them and the top. A frame of the page's own host inside a foreign one must not stand in for the foreign one.
 */
export function countFrames(answered: FramePlace[]): number {
  const known = new Set<string>();
  for (const { path, children } of answered) {
    for (let length = 0; length <= path.length; length += 1) known.add(path.slice(0, length).join('.'));
    for (let child = 0; child < children; child += 1) known.add([...path, child].join('.'));
  }
  return known.size;
}
