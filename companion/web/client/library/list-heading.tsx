import { countPhrase, numberPhrase } from '../../../../shared/words/amounts.ts';
import type { SnapshotList } from './load-list.ts';
import { leftOut, lookedFor } from './understood.ts';

export type ListView = 'list' | 'grid';

interface ListCount extends Pick<SnapshotList, 'understood' | 'note'> {
  /** Of the whole list, as far as the companion counted. */
  total: number;
  shown: number;
  more: boolean;
}

interface Props {
  /** What narrows the list. */
  by: 'search' | 'crawl' | undefined;
  /** Undefined while the first answer is under way. */
  list: ListCount | undefined;
  view: ListView;
  onView: (view: ListView) => void;
}

/** How many pages there are, said aloud when it changes, and the choice between list and grid. */
export function ListHeading({ by, list, view, onView }: Props) {
  return (
    <div class="list-heading">
      <h1 class="visually-hidden">Library</h1>
      <div class="list-said" role="status" aria-live="polite">
        <p class="list-count">{list === undefined ? 'Looking.' : countSentence(by, list)}</p>
        {list ? <Remarks list={list} /> : null}
      </div>
      {list?.shown === 0 ? null : (
        <div class="segmented" role="group" aria-label="Show as">
          {(['list', 'grid'] as const).map((name) => (
            <button key={name} type="button" aria-pressed={view === name} onClick={() => onView(name)}>
              {name === 'list' ? 'List' : 'Pictures'}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** What the count alone does not tell: what was searched when nothing was found, and where the answer ends. */
function Remarks({ list }: { list: ListCount }) {
  const searched =
    list.shown === 0 && list.understood.length > 0
      ? `${lookedFor(list.understood)} Titles, addresses, tags, notes and the text of every kept page were searched. Remove a part, or try fewer words.`
      : '';
  const sentence = [searched, leftOut(list.understood), list.note ?? ''].filter((part) => part !== '').join(' ');
  return sentence === '' ? null : <p class="list-remarks">{sentence}</p>;
}

const nothingShown = { search: 'Nothing found.', crawl: 'No page is listed yet.', all: 'Nothing is kept yet.' };

function countSentence(by: Props['by'], { total, shown, more }: ListCount): string {
  if (shown === 0) return nothingShown[by ?? 'all'];
  const verb = by === 'search' ? 'found' : 'kept';
  if (more && total <= shown) return `More than ${countPhrase(shown, 'page')} ${verb}, ${numberPhrase(shown)} shown`;
  const rest = shown < total ? `, ${numberPhrase(shown)} shown` : '';
  return `${countPhrase(Math.max(total, shown), 'page')} ${verb}${rest}`;
}
