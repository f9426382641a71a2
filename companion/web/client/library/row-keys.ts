/** Id of the list's element. */
export const listId = 'kept-pages';

/** Keys inside the list: up and down (or k and j) go from page to page, x or space selects, Escape goes to the search. */
export function moveInRows(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target instanceof Element ? event.target : undefined;
  const row = target?.closest('.row');
  const onTitle = target?.matches('.row-title') ?? false;
  if (!row || !onTitle) return;
  const act = keyActions[event.key];
  if (!act) return;
  event.preventDefault();
  act(row, event.shiftKey);
}

const keyActions: Record<string, (row: Element, shift: boolean) => void> = {
  ArrowDown: (row) => focusTitle(row.nextElementSibling),
  j: (row) => focusTitle(row.nextElementSibling),
  ArrowUp: (row) => (row.previousElementSibling ? focusTitle(row.previousElementSibling) : focusSearch()),
  k: (row) => (row.previousElementSibling ? focusTitle(row.previousElementSibling) : focusSearch()),
  ' ': toggle,
  x: toggle,
  X: toggle,
  Escape: () => focusSearch(),
};

export function focusFirstRow(): void {
  focusTitle(document.querySelector(`#${listId} > .row`));
}

function focusTitle(row: Element | null): void {
  row?.querySelector<HTMLElement>('.row-title')?.focus();
}

function focusSearch(): void {
  document.getElementById('search-box')?.focus();
}

function toggle(row: Element, shiftKey: boolean): void {
  const box = row.querySelector('input[type=checkbox]');
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey }));
}
