/** Arithmetic of one tall picture made of shots. CSS pixels for scrolling, device pixels for rows. */

export interface ShotPlan {
  /** Scroll positions from top to bottom. */
  stops: number[];
  /** Height of the page part that the shots cover; less than the page when the limit of shots cuts it off. */
  coveredHeight: number;
}

/**
 * Where to scroll. With a whole-number scale shots touch each other; otherwise they overlap a little, because a
 * scroll position then falls between two device pixels.
 */
export function planShots(pageHeight: number, viewportHeight: number, scale: number, shotsMax: number): ShotPlan {
  const overlap = Number.isInteger(scale) ? 0 : 2;
  const step = Math.max(1, viewportHeight - overlap);
  const last = Math.max(0, pageHeight - viewportHeight);
  const stops: number[] = [];
  for (let y = 0; y < last && stops.length < shotsMax; y += step) stops.push(y);
  if (stops.length < shotsMax) return { stops: [...stops, last], coveredHeight: Math.max(pageHeight, viewportHeight) };
  return { stops, coveredHeight: stops.at(-1)! + viewportHeight };
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
