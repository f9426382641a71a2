/** Which rows are selected, and from where a range with shift goes. */
export interface Selection {
  ids: ReadonlySet<string>;
  anchor: string | undefined;
}

export const nothingSelected: Selection = { ids: new Set(), anchor: undefined };

/** Sets one row; with `toHere` every row from the last one touched to this one, in list order. */
export function select(
  selection: Selection,
  order: readonly string[],
  change: { id: string; selected: boolean; toHere: boolean },
): Selection {
  const ids = new Set(selection.ids);
  for (const id of rangeOf(selection, order, change)) {
    if (change.selected) ids.add(id);
    else ids.delete(id);
  }
  return { ids, anchor: change.id };
}

function rangeOf(
  selection: Selection,
  order: readonly string[],
  change: { id: string; toHere: boolean },
): readonly string[] {
  const from = selection.anchor === undefined ? -1 : order.indexOf(selection.anchor);
  const to = order.indexOf(change.id);
  if (!change.toHere || from < 0 || to < 0) return [change.id];
  return order.slice(Math.min(from, to), Math.max(from, to) + 1);
}

/** What remains selected of the rows that are still there. */
export function keepKnown(selection: Selection, order: readonly string[]): Selection {
  const known = order.filter((id) => selection.ids.has(id));
  return known.length === selection.ids.size ? selection : { ...selection, ids: new Set(known) };
}
