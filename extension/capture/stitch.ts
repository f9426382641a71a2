/** Arithmetic of one tall picture made of shots. CSS pixels for scrolling, device pixels for rows. */

/**
 * Where to scroll after the shot at `y`. With a whole-number scale shots touch each other; otherwise they overlap a
 * little, because a scroll position then falls between two device pixels.
 * @returns undefined when the shot at `y` reaches the end of the page
 */
export function nextStop(y: number, pageHeight: number, viewportHeight: number, scale: number): number | undefined {
  const last = Math.max(0, pageHeight - viewportHeight);
  if (y >= last) return undefined;
  const overlap = Number.isInteger(scale) ? 0 : 2;
  return Math.min(last, y + Math.max(1, viewportHeight - overlap));
}

export interface RowSlice {
  /** First row of the shot to use, and how many. */
  from: number;
  count: number;
}

/**
 * Which rows of a shot continue a picture of `written` rows.
 * @returns undefined when the shot begins below the picture's end: rows between them are missing
 */
export function continueRows(written: number, scrollY: number, scale: number, shotRows: number): RowSlice | undefined {
  const top = Math.round(scrollY * scale);
  if (top > written) return undefined;
  const from = Math.min(shotRows, written - top);
  return { from, count: shotRows - from };
}

/** `screenshot.png`, then `screenshot-1.png` and so on. */
export function pictureName(index: number): string {
  return index === 0 ? 'screenshot.png' : `screenshot-${index}.png`;
}
