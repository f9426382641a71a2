import type { FramePlace } from '../frame-count.ts';

/**
 * Where this frame stands below the top one. Foreign windows may be counted and compared, though nothing else, so this
 * needs no permission for the frames between.
 */
export function framePlace(): FramePlace {
  const path: number[] = [];
  for (let at: Window = window; at !== at.parent; at = at.parent) path.unshift(indexInParent(at));
  return { path, children: window.length };
}

function indexInParent(frame: Window): number {
  for (let index = 0; index < frame.parent.length; index += 1) {
    if (frame.parent[index] === frame) return index;
  }
  return -1;
}
