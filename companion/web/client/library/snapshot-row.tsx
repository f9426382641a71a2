import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { sizePhrase } from '../../../../shared/words/amounts.ts';
import type { SnippetPiece } from '../api/snapshots.ts';
import { snapshotAddress } from '../router.ts';
import { TimePhrase } from '../shell/time-phrase.tsx';
import { formatSearch } from './search-query.ts';
import { hostOf, markGlyphs, shortAddress, snapshotName, stateMark } from './snapshot-view.ts';
import { Snippet } from './snippet.tsx';
import { Thumbnail } from './thumbnail.tsx';

interface Props {
  snapshot: SnapshotRecord;
  /** Where the searched words stand; undefined without a search. */
  snippet: readonly SnippetPiece[] | undefined;
  selected: boolean;
  onSelect: (selected: boolean, toHere: boolean) => void;
}

/** One kept page in the list or the grid. The whole row is the link; the box selects. */
export function SnapshotRow({ snapshot, snippet, selected, onSelect }: Props) {
  const name = snapshotName(snapshot);
  const mark = stateMark(snapshot);
  return (
    <li class="row" data-selected={selected} data-id={snapshot.id}>
      <label class="row-select">
        <input
          type="checkbox"
          checked={selected}
          aria-label={`Select ${name}`}
          onClick={(event) => onSelect(event.currentTarget.checked, event.shiftKey)}
        />
      </label>
      <Thumbnail snapshot={snapshot} />
      <div class="row-words">
        <a class="row-title" href={snapshotAddress(snapshot.id)} dir="auto" title={name}>
          {name}
        </a>
        {name === shortAddress(snapshot.url) ? null : (
          <span class="row-address" dir="ltr" title={snapshot.url}>
            <span class="row-host">{hostOf(snapshot.url)}</span>
            <span class="row-path">{shortAddress(snapshot.url).slice(hostOf(snapshot.url).length)}</span>
          </span>
        )}
        <Snippet pieces={snippet} />
        <span class="row-state" data-mark={mark}>
          <span class="state-glyph" aria-hidden="true">
            {markGlyphs[mark]}
          </span>
          <span>{snapshot.state_sentence}</span>
        </span>
        <Tags names={snapshot.tags} />
      </div>
      <div class="row-facts">
        <TimePhrase iso={snapshot.bookmarked_at} />
        {snapshot.output_size > 0 ? <span class="mono">{sizePhrase(snapshot.output_size)}</span> : null}
      </div>
    </li>
  );
}

function Tags({ names }: { names: string[] }) {
  if (names.length === 0) return null;
  return (
    <ul class="row-tags" aria-label="Tags">
      {names.map((name) => (
        <li key={name}>
          <a href={tagSearchAddress(name)} dir="auto">
            {name}
          </a>
        </li>
      ))}
    </ul>
  );
}

export function tagSearchAddress(name: string): string {
  return `/?search=${encodeURIComponent(formatSearch([{ kind: 'tag', text: name, excluded: false }]))}`;
}
