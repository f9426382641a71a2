import type { Understood } from '../api/snapshots.ts';
import { partLabel, type Part } from './search-query.ts';

const labels: Record<Understood['kind'], string> = {
  word: 'Word',
  phrase: 'Phrase',
  prefix: 'Begins with',
  tag: 'Tag',
  site: 'Site',
  url: 'Address',
  after: 'From',
  before: 'Before',
  ignored: 'Left out',
};

/** What a chip calls its part: as the companion took it where its answer is to this text, else as it was typed. */
export function chipLabels(parts: readonly Part[], understood: readonly Understood[]): string[] {
  const taken = understood.filter((part) => part.kind !== 'ignored');
  const isSameText = taken.length === parts.length;
  return parts.map((part, index) => {
    const answer = isSameText ? taken[index] : undefined;
    if (!answer || answer.isExcluded !== part.excluded || answer.text !== part.text.replace(/\*+$/, '')) {
      return partLabel(part);
    }
    return answer.isExcluded ? `Not ${labels[answer.kind].toLowerCase()}` : labels[answer.kind];
  });
}

const phrases: Record<Exclude<Understood['kind'], 'ignored'>, (text: string) => string> = {
  word: (text) => `the word “${text}”`,
  phrase: (text) => `the phrase “${text}”`,
  prefix: (text) => `words that begin with “${text}”`,
  tag: (text) => `the tag “${text}”`,
  site: (text) => `the site ${text}`,
  url: (text) => `“${text}” in the address`,
  after: (text) => `pages kept since ${text}`,
  before: (text) => `pages kept before ${text}`,
};

/** One sentence for what was looked for, such as `Looked for the word “kelp” and the tag “sea”, without “land”.` */
export function lookedFor(understood: readonly Understood[]): string {
  const say = (part: Understood) => (part.kind === 'ignored' ? [] : [phrases[part.kind](part.text)]);
  const wanted = understood.filter((part) => !part.isExcluded).flatMap(say);
  const unwanted = understood.filter((part) => part.isExcluded).flatMap(say);
  if (wanted.length + unwanted.length === 0) return '';
  const without = unwanted.length === 0 ? '' : `${wanted.length > 0 ? ', ' : 'everything '}without ${listed(unwanted)}`;
  return `Looked for ${listed(wanted)}${without}.`;
}

/** Names what of the text asked for nothing, such as a lone sign; empty when all of it counted. */
export function leftOut(understood: readonly Understood[]): string {
  const ignored = understood.filter((part) => part.kind === 'ignored').map((part) => `“${part.text}”`);
  return ignored.length === 0 ? '' : `${listed(ignored)} asked for nothing and was left out.`;
}

function listed(parts: readonly string[]): string {
  return new Intl.ListFormat('en', { type: 'conjunction' }).format(parts);
}
