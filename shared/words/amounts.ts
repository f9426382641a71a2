const KB = 1000;
const MB = 1000 * KB;
const GB = 1000 * MB;

/** Bytes as a person reads them: MB with one decimal; below 0.1 MB whole KB, from 1000 MB on GB. */
export function sizePhrase(bytes: number): string {
  if (bytes < KB) return `${bytes} bytes`;
  if (bytes < MB / 10) return `${Math.round(bytes / KB)} KB`;
  if (bytes < 999.95 * MB) return `${(bytes / MB).toFixed(1)} MB`;
  return `${(bytes / GB).toFixed(1)} GB`;
}

/** "1 page", "3 pages", "1 204 pages". `plural` where an s does not do. */
export function countPhrase(count: number, word: string, plural: string = `${word}s`): string {
  return `${numberPhrase(count)} ${count === 1 ? word : plural}`;
}

/** A whole number in groups of three, divided by a narrow no-break space from four digits on. */
export function numberPhrase(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}
