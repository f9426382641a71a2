import { deepElements } from './deep-elements.ts';
import { StyleLoan } from './style-loan.ts';

/**
 * Writes each canvas's size into its style while the page is serialised. Where scripts are off a browser lays a canvas
 * out as an inline box without size, so that it vanishes and everything below it moves up; an inline block with a
 * size looks the same with and without scripts.
 * @returns a function that puts the styles back
 */
export function pinCanvases(document: Document): () => void {
  const loan = new StyleLoan();
  for (const element of deepElements(document)) {
    if (!(element instanceof HTMLCanvasElement)) continue;
    const style = getComputedStyle(element);
    if (style.display === 'none' || style.display === 'contents') continue;
    const { width, height } = style;
    if (style.display === 'inline') loan.set(element, 'display', 'inline-block');
    loan.set(element, 'width', width);
    loan.set(element, 'height', height);
  }
  return () => loan.giveBack();
}
