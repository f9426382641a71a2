/** The most sentences a reader gets about what is missing; the facts file has all. */
const shownMax = 50;

/**
 * What could not be kept, from the facts the extension sent with a capture. They come from a web page's surroundings,
 * so everything but plain sentences is ignored.
 */
export function missingSentences(facts: unknown): string[] {
  if (typeof facts !== 'object' || facts === null || !('missing' in facts) || !Array.isArray(facts.missing)) return [];
  return facts.missing.filter((entry): entry is string => typeof entry === 'string' && entry !== '').slice(0, shownMax);
}
