import { useRef, useState } from 'preact/hooks';
import { useLoad } from '../api/use-load.ts';
import { navigate, place } from '../router.ts';
import { hiddenIds } from '../shell/deletions.ts';
import { usePageTitle } from '../shell/page-title.ts';
import { useRemembered } from '../shell/remembered.ts';
import { StatusFooter } from '../shell/status-footer.tsx';
import { TopBar } from '../shell/top-bar.tsx';
import { AddPanel } from './add-panel.tsx';
import { EmptyLibrary } from './empty-library.tsx';
import { ListHeading } from './list-heading.tsx';
import { loadList, rowsPerStep } from './load-list.ts';
import { focusFirstRow, moveInRows } from './row-keys.ts';
import { SearchBox } from './search-box.tsx';
import { listFilters } from './search-query.ts';
import { keepKnown, nothingSelected, select } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { Sidebar } from './sidebar.tsx';
import { SnapshotRow } from './snapshot-row.tsx';

/** Everything kept, newest first, or what a search finds. */
export function LibraryPage() {
  const search = new URLSearchParams(place.value.query).get('search') ?? '';
  const filters = listFilters(search);
  const wanted = useRef({ search, rows: rowsPerStep });
  if (wanted.current.search !== search) wanted.current = { search, rows: rowsPerStep };
  const list = useLoad(`list ${JSON.stringify(filters)}`, (signal) => loadList(filters, wanted.current.rows, signal));
  const [selection, setSelection] = useState(nothingSelected);
  const [view, setView] = useRemembered<'list' | 'grid'>('view', 'list');
  const [adding, setAdding] = useState(false);
  const rows = useRef<HTMLUListElement>(null);
  usePageTitle(search === '' ? 'Library' : search);

  const items = list.value?.items.filter((item) => !hiddenIds.value.has(item.id));
  const order = items?.map((item) => item.id) ?? [];
  const selected = keepKnown(selection, order);
  const empty = items?.length === 0 && search === '';

  return (
    <>
      <TopBar>
        <SearchBox
          text={search}
          onChange={(text) =>
            navigate(text.trim() === '' ? '/' : `/?search=${encodeURIComponent(text)}`, { replace: true })
          }
          onLeaveDown={() => rows.current && focusFirstRow(rows.current)}
        />
        <button
          type="button"
          class="button"
          aria-expanded={adding}
          aria-controls="add-panel"
          onClick={() => setAdding(!adding)}
        >
          Add
        </button>
      </TopBar>
      <div class="library" data-empty={empty}>
        {empty ? null : <Sidebar search={search} />}
        <main id="main" class="library-main" tabIndex={-1}>
          {adding ? <AddPanel onClose={() => setAdding(false)} /> : null}
          {list.failure && !items ? <p class="notice danger">{list.failure.message}</p> : null}
          {empty ? (
            <EmptyLibrary />
          ) : (
            <ListHeading
              search={search}
              list={
                items && list.value
                  ? { total: list.value.total, shown: items.length, more: list.value.more }
                  : undefined
              }
              view={view}
              onView={setView}
            />
          )}
          {selected.ids.size > 0 ? (
            <SelectionBar ids={[...selected.ids]} onDone={() => setSelection(nothingSelected)} />
          ) : null}
          <ul class={`rows rows-${view}`} ref={rows} aria-label="Kept pages" onKeyDown={moveInRows}>
            {items?.map((snapshot) => (
              <SnapshotRow
                key={snapshot.id}
                snapshot={snapshot}
                selected={selected.ids.has(snapshot.id)}
                onSelect={(on, toHere) =>
                  setSelection(select(selected, order, { id: snapshot.id, selected: on, toHere }))
                }
              />
            ))}
          </ul>
          {list.value?.more ? (
            <button
              type="button"
              class="button show-more"
              onClick={() => {
                wanted.current.rows += rowsPerStep;
                list.reload();
              }}
            >
              Show {rowsPerStep} more
            </button>
          ) : null}
        </main>
      </div>
      <StatusFooter />
    </>
  );
}
