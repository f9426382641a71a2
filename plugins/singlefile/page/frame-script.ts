import * as bootstrap from 'single-file-core/single-file-bootstrap.js';
import type { PageFunctions } from './page-functions.ts';

/** Runs in our world of every frame: answers the frame tree of single-file-core and makes closed roots known to it. */
const world = globalThis as unknown as Partial<PageFunctions> & {
  singlefile?: unknown;
  chrome?: unknown;
};

const request = 'single-file-request-get-adopted-stylesheets';
const response = 'single-file-response-get-adopted-stylesheets';

let rootsByHost = new WeakMap<Element, ShadowRoot>();
let undo: (() => void)[] = [];

world.singlefile ??= bootstrap;
world.chrome = {
  dom: { openOrClosedShadowRoot: (element: Element) => rootsByHost.get(element) ?? element.shadowRoot },
};

world.holdfastPrepareFrame = (...roots) => {
  rootsByHost = new WeakMap(roots.map((root) => [root.host, root]));
  for (const root of roots) answerAdoptedStyles(root);
  for (const tree of [document, ...roots]) tree.querySelectorAll('canvas').forEach(keepCanvasSize);
};

world.holdfastRestoreFrame = () => {
  for (const step of undo) step();
  undo = [];
};

function answerAdoptedStyles(root: ShadowRoot): void {
  const listener = (event: Event): void => {
    event.stopImmediatePropagation();
    const adoptedStyleSheets = [...root.adoptedStyleSheets].map((sheet) =>
      [...sheet.cssRules].map(({ cssText }) => cssText).join('\n'),
    );
    root.dispatchEvent(new CustomEvent(response, { detail: { adoptedStyleSheets } }));
  };
  root.addEventListener(request, listener, { capture: true });
  undo.push(() => root.removeEventListener(request, listener, { capture: true }));
}

/**
 * Where scripts are off, as in every replay, browsers lay a canvas out as an inline box without a size: it would
 * vanish and everything below it would move.
 */
function keepCanvasSize(canvas: HTMLCanvasElement): void {
  const { display, width, height } = getComputedStyle(canvas);
  if (display === 'none') return;
  const before = canvas.getAttribute('style');
  canvas.style.setProperty('width', width);
  canvas.style.setProperty('height', height);
  if (display === 'inline') canvas.style.setProperty('display', 'inline-block');
  undo.push(() => (before === null ? canvas.removeAttribute('style') : canvas.setAttribute('style', before)));
}
