import { evaluateApart } from '../kit/evaluate.ts';
import type { CdpSession } from '../kit/cdp.ts';

const screensMax = 20;

/** Scrolls down once and back, so that pictures which wait to be seen are asked for. */
export async function walkThroughPage(session: CdpSession): Promise<void> {
  await evaluateApart(session, `(${walk.toString()})(${screensMax})`);
}

/** Runs in the page. */
async function walk(screens: number): Promise<void> {
  const { scrollX, scrollY } = window;
  // A window that is not painted at the moment gets no frames; the walk goes on without them.
  const painted = () =>
    new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(resolve));
      setTimeout(resolve, 100);
    });
  for (let screen = 1; screen <= screens; screen++) {
    const before = window.scrollY;
    window.scrollBy({ top: window.innerHeight, behavior: 'instant' });
    await painted();
    if (window.scrollY === before) break;
  }
  window.scrollTo({ left: scrollX, top: scrollY, behavior: 'instant' });
  await painted();
}
