interface DomApi {
  dom?: { openOrClosedShadowRoot(element: HTMLElement): ShadowRoot | null };
}
interface FirefoxElement {
  openOrClosedShadowRoot?: ShadowRoot | null;
}

/** The element's shadow root, closed ones too: content scripts may ask for it, in each browser by another name. */
export function findShadowRoot(element: Element): ShadowRoot | null {
  if (!(element instanceof HTMLElement)) return null;
  const dom = (globalThis as { chrome?: DomApi }).chrome?.dom;
  if (dom) return dom.openOrClosedShadowRoot(element);
  return (element as FirefoxElement).openOrClosedShadowRoot ?? element.shadowRoot;
}
