import { useState } from 'preact/hooks';
import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import type { SnippetPiece } from '../api/snapshots.ts';
import type { ListView } from './list-heading.tsx';
import { listId, moveInRows } from './row-keys.ts';
import { keepKnown, nothingSelected, select } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { SnapshotRow } from './snapshot-row.tsx';

interface Props {
  items: SnapshotRecord[];
  /** Where the searched words stand, by snapshot. */
  snippets: Record<string, SnippetPiece[]>;
  view: ListView;
}

/** The rows with their selection, and the bar of acts while something is selected. */
export function SnapshotRows({ items, snippets, view }: Props) {
  const [selection, setSelection] = useState(nothingSelected);
  const order = items.map((item) => item.id);
  const known = keepKnown(selection, order);
  return (
    <>
      {known.ids.size > 0 ? <SelectionBar ids={[...known.ids]} onDone={() => setSelection(nothingSelected)} /> : null}
      <ul id={listId} class={`rows rows-${view}`} aria-label="Kept pages" onKeyDown={moveInRows}>
        {items.map((snapshot) => (
          <SnapshotRow
            key={snapshot.id}
            snapshot={snapshot}
            snippet={snippets[snapshot.id]}
            selected={known.ids.has(snapshot.id)}
            onSelect={(selected, toHere) => setSelection(select(known, order, { id: snapshot.id, selected, toHere }))}
          />
        ))}
      </ul>
    </>
  );
}
