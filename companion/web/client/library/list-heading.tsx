import { countPhrase, numberPhrase } from '../../../../shared/words/amounts.ts';

export type ListView = 'list' | 'grid';

interface ListCount {
  /** Of the whole list, as far as the companion counted. */
  total: number;
  shown: number;
  more: boolean;
}

interface Props {
  /** A search or a crawl narrows the list. */
  filtered: boolean;
  /** Undefined while the first answer is under way. */
  list: ListCount | undefined;
  view: ListView;
  onView: (view: ListView) => void;
}

/** How many pages there are, said aloud when it changes, and the choice between list and grid. */
export function ListHeading({ filtered, list, view, onView }: Props) {
  return (
    <div class="list-heading">
      <h1 class="visually-hidden">Library</h1>
      <p class="list-count" role="status" aria-live="polite">
        {list === undefined ? 'Looking.' : countSentence(filtered, list)}
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

function countSentence(filtered: boolean, { total, shown, more }: ListCount): string {
  if (shown === 0)
    return !filtered ? 'Nothing is kept yet.' : 'No kept page has all of this. Remove a part, or try fewer words.';
  const verb = filtered ? 'found' : 'kept';
  if (more && total <= shown) return `More than ${countPhrase(shown, 'page')} ${verb}, ${numberPhrase(shown)} shown`;
  const rest = shown < total ? `, ${numberPhrase(shown)} shown` : '';
  return `${countPhrase(Math.max(total, shown), 'page')} ${verb}${rest}`;
}
