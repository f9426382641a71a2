/** Share of the view an element must cover to count as "the page scrolls in there". */
const COVER = 0.5;

/**
 * Pages built like programs do not scroll themselves but hold one large area that does. Returns that area, or
 * undefined when the document itself scrolls or nothing does.
 */
export function innerScroller(): Element | undefined {
  const root = document.documentElement;
  if (root.scrollHeight > innerHeight + 1) return undefined;
  let found: Element | undefined = document.elementFromPoint(innerWidth / 2, innerHeight / 2) ?? undefined;
  while (found && found !== root) {
    if (scrolls(found)) return found;
    found = found.parentElement ?? undefined;
  }
  return undefined;
}

function scrolls(element: Element): boolean {
  if (element.scrollHeight <= element.clientHeight + 1) return false;
  const { overflowY } = getComputedStyle(element);
  if (overflowY !== 'auto' && overflowY !== 'scroll') return false;
  const box = element.getBoundingClientRect();
  return box.width * box.height >= COVER * innerWidth * innerHeight;
}
