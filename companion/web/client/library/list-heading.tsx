import { countPhrase, numberPhrase } from '../../../../shared/words/amounts.ts';

interface Props {
  search: string;
  /** Undefined while the first answer is under way. */
  list: { total: number; shown: number } | undefined;
  view: 'list' | 'grid';
  onView: (view: 'list' | 'grid') => void;
}

/** How many pages there are, said aloud when it changes, and the choice between list and grid. */
export function ListHeading({ search, list, view, onView }: Props) {
  return (
    <div class="list-heading">
      <h1 class="visually-hidden">Library</h1>
      <p class="list-count" role="status" aria-live="polite">
        {list === undefined ? 'Looking.' : countSentence(search, list)}
      </p>
      <div class="segmented" role="group" aria-label="Show as">
        {(['list', 'grid'] as const).map((name) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => onView(name)}>
            {name === 'list' ? 'List' : 'Pictures'}
          </button>
        ))}
      </div>
    </div>
  );
}

function countSentence(search: string, { total, shown }: { total: number; shown: number }): string {
  if (shown === 0) return search === '' ? 'Nothing is kept yet.' : 'No kept page has all of this. Remove a part, or try fewer words.';
  const found = countPhrase(Math.max(total, shown), 'page');
  const rest = shown < total ? `, newest ${numberPhrase(shown)} shown` : '';
  return search === '' ? `${found} kept${rest}` : `${found} found${rest}`;
}
