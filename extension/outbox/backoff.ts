const FIRST_MS = 2_000;
const LONGEST_MS = 5 * 60_000;

/**
 * How long to wait after the n-th failure in a row: doubling, with up to half of it random so that several browsers do
 * not return together. What the companion asked for is never undercut.
 * @param random from 0 up to 1
 */
export function retryDelayMs(failures: number, random: number, retryAfterMs: number | undefined): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures, 20));
  return Math.max(retryAfterMs ?? 0, full / 2 + (full / 2) * random);
}
