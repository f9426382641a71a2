import { imagesInView, imagesSettled, painted } from './painted.ts';
import { innerScroller } from './inner-scroller.ts';

const STEPS_MAX = 80;
const PASS_MS_MAX = 8_000;
const IMAGES_MS_MAX = 5_000;
const VIEW_MS_MAX = 400;

export interface LazyPassReport {
  steps: number;
  /** Pictures that were still on their way when the wait ended. */
  imagesPending: number;
  /** False when the pass was stopped by its limits before the page's end. */
  reachedEnd: boolean;
}

/** Pictures without a reserved place make a page grow while they come; a feed without end makes it grow for ever. */
const GROWTH_MAX = 2;
const GROWTH_VIEWS_MAX = 10;

/**
 * Looks once over the whole page, so that pictures which wait to be seen are loaded, then waits for them and returns
 * to where the person was. A page that grows meanwhile is followed for a while only.
 */
export async function lazyPass(): Promise<LazyPassReport> {
  if (document.hidden) return wakeHiddenImages();
  const root = document.documentElement;
  const inner = innerScroller();
  const before = { x: scrollX, y: scrollY, inner: inner?.scrollTop ?? 0 };
  const started = performance.now();
  const height = () => (inner ? inner.scrollHeight : root.scrollHeight);
  const step = Math.max(200, inner ? inner.clientHeight : innerHeight);
  const heightMax = Math.max(GROWTH_MAX * height(), height() + GROWTH_VIEWS_MAX * step);
  const inTime = () => performance.now() - started < PASS_MS_MAX;
  let steps = 0;
  let y = 0;
  for (; y < Math.min(height(), heightMax) && steps < STEPS_MAX && inTime(); y += step) {
    scrollBoth(inner, before.x, y);
    steps += 1;
    await painted();
    await imagesSettled(imagesInView(), VIEW_MS_MAX);
  }
  await imagesSettled([...document.images], IMAGES_MS_MAX);
  scrollTo({ left: before.x, top: before.y, behavior: 'instant' });
  inner?.scrollTo({ top: before.inner, behavior: 'instant' });
  await painted();
  return { steps, imagesPending: pendingImages(), reachedEnd: y >= height() };
}

function scrollBoth(inner: Element | undefined, x: number, y: number): void {
  if (inner) inner.scrollTo({ top: y, behavior: 'instant' });
  else scrollTo({ left: x, top: y, behavior: 'instant' });
}

/** In a tab that nobody looks at nothing is ever "in view": the browser's own lazy loading is switched off instead. */
async function wakeHiddenImages(): Promise<LazyPassReport> {
  for (const image of document.images) {
    if (image.loading === 'lazy') image.loading = 'eager';
  }
  await imagesSettled([...document.images], IMAGES_MS_MAX);
  return { steps: 0, imagesPending: pendingImages(), reachedEnd: false };
}

function pendingImages(): number {
  return [...document.images].filter((image) => !image.complete && image.currentSrc !== '').length;
}
