import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLoad } from '../api/use-load.ts';
import { navigate, place, restoreBookmark } from '../router.ts';
import { hiddenIds } from '../shell/deletions.ts';
import { usePageTitle } from '../shell/page-title.ts';
import { useRemembered } from '../shell/remembered.ts';
import { StatusFooter } from '../shell/status-footer.tsx';
import { TopBar } from '../shell/top-bar.tsx';
import { AddPanel } from './add-panel.tsx';
import { CrawlLine } from './crawl-line.tsx';
import { EmptyLibrary } from './empty-library.tsx';
import { ListHeading } from './list-heading.tsx';
import type { ListView } from './list-heading.tsx';
import { loadList, rowsPerStep } from './load-list.ts';
import type { SnapshotList } from './load-list.ts';
import { focusFirstRow } from './row-keys.ts';
import { SearchBox } from './search-box.tsx';
import { listFilters } from './search-query.ts';
import { Sidebar } from './sidebar.tsx';
import { SnapshotRows } from './snapshot-rows.tsx';

/** Everything kept, newest first, or what a search finds. */
export function LibraryPage() {
  const query = new URLSearchParams(place.value.query);
  const search = query.get('search') ?? '';
  const crawl = query.get('crawl');
  const list = useGrowingList(search, crawl);
  const [view, setView] = useRemembered<ListView>('view', 'list');
  const [adding, setAdding] = useState(false);
  usePageTitle(search === '' ? 'Library' : search);
  useLayoutEffect(restoreBookmark, []);
  const items = list.value?.items.filter((item) => !hiddenIds.value.has(item.id));
  const empty = items?.length === 0 && search === '' && crawl === null;
  const counted = items && list.value ? { ...list.value, shown: items.length } : undefined;
  return (
    <>
      <TopBar>
        <SearchBox
          text={search}
          understood={list.value?.understood ?? []}
          onChange={searchFor}
          onLeaveDown={focusFirstRow}
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
        {empty ? null : <Sidebar search={search} crawl={crawl} />}
        <main id="main" class="library-main" tabIndex={-1}>
          {adding ? <AddPanel onClose={() => setAdding(false)} /> : null}
          {crawl === null ? null : <CrawlLine key={crawl} id={crawl} />}
          {list.failure && !items ? <p class="notice danger">{list.failure.message}</p> : null}
          {empty ? (
            <EmptyLibrary />
          ) : (
            <ListHeading
              by={crawl !== null ? 'crawl' : search !== '' ? 'search' : undefined}
              list={counted}
              view={view}
              onView={setView}
            />
          )}
          <SnapshotRows items={items ?? []} snippets={list.value?.snippets ?? {}} view={view} />
          {list.value?.more ? (
            <button type="button" class="button show-more" onClick={list.showMore}>
              Show {rowsPerStep} more
            </button>
          ) : null}
        </main>
      </div>
      <StatusFooter />
    </>
  );
}

function searchFor(text: string): void {
  navigate(text.trim() === '' ? '/' : `/?search=${encodeURIComponent(text)}`, { replace: true });
}

/** The list the reader saw last, for coming back to it at once and at the same place. */
let lastList: { key: string; rows: number; value: SnapshotList } | undefined;

/** The list for a search or a crawl; it grows by steps and starts short again for another one. */
function useGrowingList(search: string, crawl: string | null) {
  const filters = crawl === null ? listFilters(search) : { crawl_id: crawl };
  const key = JSON.stringify(filters);
  const known = lastList?.key === key ? lastList : undefined;
  const wanted = useRef({ key, rows: known?.rows ?? rowsPerStep });
  if (wanted.current.key !== key) wanted.current = { key, rows: rowsPerStep };
  const load = async (signal: AbortSignal) => {
    const { rows } = wanted.current;
    const value = await loadList(filters, rows, signal);
    lastList = { key, rows, value };
    return value;
  };
  const list = useLoad(`list ${key}`, load, { initial: known?.value });
  const showMore = () => {
    wanted.current.rows += rowsPerStep;
    list.reload();
  };
  return { value: list.value, failure: list.failure, showMore };
}
