import { findShadowRoot } from '../../platform/shadow-root.ts';

/** Every element below the root in document order, those in open and closed shadow roots too. */
export function* deepElements(root: Document | ShadowRoot): Generator<Element> {
  for (const element of root.querySelectorAll('*')) {
    yield element;
    const shadow = findShadowRoot(element);
    if (shadow) yield* deepElements(shadow);
  }
}

/** Every shadow root below the root, closed ones too. */
export function* deepShadowRoots(root: Document | ShadowRoot): Generator<ShadowRoot> {
  for (const element of root.querySelectorAll('*')) {
    const shadow = findShadowRoot(element);
    if (!shadow) continue;
    yield shadow;
    yield* deepShadowRoots(shadow);
  }
}
