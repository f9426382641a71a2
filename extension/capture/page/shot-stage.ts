import { deepElements } from './deep-elements.ts';
import { documentKey } from './describe-page.ts';
import { innerScroller } from './inner-scroller.ts';
import { imagesInView, imagesSettled, painted } from './painted.ts';
import { StyleLoan } from './style-loan.ts';

/** Without a word from the background for this long the page is put back: its service worker was stopped. */
const WATCHDOG_MS = 15_000;
const IMAGES_MS_MAX = 1_500;

/** What must be equal before and after a shot for it to belong to this document. CSS pixels. */
export interface StageSight {
  documentKey: string;
  url: string;
  visible: boolean;
  /** How often this document was hidden since it was first looked at. */
  timesHidden: number;
  scrollX: number;
  scrollY: number;
  viewportWidth: number;
  viewportHeight: number;
  /** Width of the window's inside with the scroll bar, and what of it shows the page. */
  innerWidth: number;
  devicePixelRatio: number;
  pageHeight: number;
  /** True when a large area of the page scrolls by itself, so that a picture shows only its visible part. */
  innerScroll: boolean;
}

/** Which bars at the edges a shot shows: those at the top belong to the first, those at the bottom to the last one. */
export interface Edges {
  top: boolean;
  bottom: boolean;
}

/** Scrolls the page for a picture and puts everything back afterwards, whatever happens. */
export class ShotStage {
  #timesHidden = 0;
  #loan: StyleLoan | undefined;
  #edges: StyleLoan | undefined;
  #pinned: { top: HTMLElement[]; bottom: HTMLElement[] } = { top: [], bottom: [] };
  #scroll = { x: 0, y: 0 };
  #watchdog: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.#timesHidden += 1;
    });
  }

  look(): StageSight {
    const root = document.documentElement;
    // The visual viewport is the only one without scroll bars in both rendering modes.
    const view = visualViewport ?? { width: innerWidth, height: innerHeight, scale: 1 };
    return {
      documentKey: documentKey(),
      url: location.href,
      visible: document.visibilityState === 'visible',
      timesHidden: this.#timesHidden,
      scrollX,
      scrollY,
      viewportWidth: Math.round(view.width * view.scale),
      viewportHeight: Math.round(view.height * view.scale),
      innerWidth,
      devicePixelRatio,
      pageHeight: Math.max(root.scrollHeight, innerHeight),
      innerScroll: innerScroller() !== undefined,
    };
  }

  /** Stops what would move during the shots: snapping, and bars that stick while the page scrolls. */
  begin(): StageSight {
    this.end();
    this.#scroll = { x: scrollX, y: scrollY };
    this.#loan = new StyleLoan();
    this.#loan.set(document.documentElement, 'scroll-snap-type', 'none');
    this.#pinned = { top: [], bottom: [] };
    for (const element of deepElements(document)) {
      if (element instanceof HTMLElement) this.#calm(element, this.#loan);
    }
    this.#feed();
    return this.look();
  }

  /** Scrolls, waits until it is painted and the pictures in view have come. */
  async moveTo(y: number, edges: Edges): Promise<StageSight> {
    this.#feed();
    this.#edges?.giveBack();
    this.#edges = new StyleLoan();
    if (!edges.top) for (const bar of this.#pinned.top) this.#edges.set(bar, 'visibility', 'hidden');
    if (!edges.bottom) for (const bar of this.#pinned.bottom) this.#edges.set(bar, 'visibility', 'hidden');
    scrollTo({ left: 0, top: y, behavior: 'instant' });
    await painted();
    await imagesSettled(imagesInView(), IMAGES_MS_MAX);
    await painted();
    return this.look();
  }

  /** Puts styles and scroll position back. Harmless when nothing was begun. */
  end(): void {
    clearTimeout(this.#watchdog);
    this.#edges?.giveBack();
    this.#edges = undefined;
    if (!this.#loan) return;
    this.#loan.giveBack();
    this.#loan = undefined;
    scrollTo({ left: this.#scroll.x, top: this.#scroll.y, behavior: 'instant' });
  }

  #calm(element: HTMLElement, loan: StyleLoan): void {
    const { position, visibility, display } = getComputedStyle(element);
    if (display === 'none' || visibility === 'hidden') return;
    if (position === 'sticky') {
      // A relative box without offsets keeps exactly the room of the sticky one.
      loan.set(element, 'position', 'relative');
      loan.set(element, 'inset', 'auto');
    } else if (position === 'fixed') {
      const box = element.getBoundingClientRect();
      const atBottom = box.top > innerHeight / 2;
      this.#pinned[atBottom ? 'bottom' : 'top'].push(element);
    }
  }

  #feed(): void {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => this.end(), WATCHDOG_MS);
  }
}
