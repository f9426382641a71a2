import { deepShadowRoots } from './deep-elements.ts';

const REQUEST = 'single-file-request-get-adopted-stylesheets';
const RESPONSE = 'single-file-response-get-adopted-stylesheets';

/**
 * Answers single-file-core's question for the adopted stylesheets of each shadow root. Its own answer needs a script
 * in the page's world and knows open roots only; the isolated world may read closed ones.
 * @returns a function that stops answering
 */
export function answerAdoptedStyles(document: Document): () => void {
  const stop = new AbortController();
  for (const root of deepShadowRoots(document)) {
    root.addEventListener(
      REQUEST,
      (event) => {
        event.stopImmediatePropagation();
        const adoptedStyleSheets = [...root.adoptedStyleSheets].map(cssText);
        root.dispatchEvent(new CustomEvent(RESPONSE, { detail: { adoptedStyleSheets } }));
      },
      { capture: true, signal: stop.signal },
    );
  }
  return () => stop.abort();
}

function cssText(sheet: CSSStyleSheet): string {
  return [...sheet.cssRules].map((rule) => rule.cssText).join('\n');
}
