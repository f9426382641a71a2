import { browser } from '../platform/browser.ts';

/**
 * Counts the changes after which a picture of a window may show another tab than before: another tab in front, the
 * tab moved, another document in it. Compare the count before and after a shot.
 */
export class TabWatch {
  readonly #tabId: number;
  #changes = 0;
  readonly #stop: () => void;
  #onFront: (() => void) | undefined;

  constructor(tabId: number) {
    this.#tabId = tabId;
    const activated = ({ tabId: front }: { tabId: number }) => {
      this.#changes += 1;
      if (front === this.#tabId) this.#onFront?.();
    };
    const moved = (id: number) => {
      if (id === this.#tabId) this.#changes += 1;
    };
    const updated = (id: number, change: { status?: string }) => {
      if (id === this.#tabId && change.status === 'loading') this.#changes += 1;
    };
    browser.tabs.onActivated.addListener(activated);
    browser.tabs.onDetached.addListener(moved);
    browser.tabs.onRemoved.addListener(moved);
    browser.tabs.onUpdated.addListener(updated);
    this.#stop = () => {
      browser.tabs.onActivated.removeListener(activated);
      browser.tabs.onDetached.removeListener(moved);
      browser.tabs.onRemoved.removeListener(moved);
      browser.tabs.onUpdated.removeListener(updated);
    };
  }

  get changes(): number {
    return this.#changes;
  }

  /** The window this tab is in front of, or undefined when another tab is in front of it. */
  async frontWindow(): Promise<number | undefined> {
    const tab = await browser.tabs.get(this.#tabId);
    return tab.active ? tab.windowId : undefined;
  }

  /** Resolves true when the tab comes to the front, false after `ms`. */
  async comesToFront(ms: number): Promise<boolean> {
    if ((await this.frontWindow()) !== undefined) return true;
    if (ms === 0) return false;
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#onFront = () => {
        clearTimeout(timer);
        this.#onFront = undefined;
        resolve(true);
      };
    });
  }

  stop(): void {
    this.#stop();
  }
}
