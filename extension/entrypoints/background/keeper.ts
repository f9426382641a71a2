import { openStage } from '../../capture/page-stage.ts';
import type { PageDescription } from '../../capture/page/describe-page.ts';
import type { SliceJobs } from '../../capture/slice-jobs.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { captureTaken, takenAnew } from '../../outbox/transitions.ts';
import { browser } from '../../platform/browser.ts';
import { withDeadline } from '../../platform/deadline.ts';
import { readSettings } from '../../settings/settings.ts';
import { browserSession } from './browser-session.ts';
import { closeOwnTab, openPage, plannedWitnesses, UNSCRIPTABLE, whyNotKept, withoutHash } from './tabs-to-keep.ts';
import { takeWitnesses } from './take-witnesses.ts';

const INTERRUPTED = 'Interrupted: the browser stopped before this was taken.';
/** A page that is busy or frozen must not hold back everything that waits for `resume`. */
const ASK_MS_MAX = 5_000;

export interface KeepWish {
  /** A document that was captured before is not captured again. */
  unlessKept: boolean;
  /** We opened the tab behind the others: no picture can be taken of it, and it goes away afterwards. */
  closeTab: boolean;
}

/** Nothing of this tab is kept, on purpose. The message is a sentence for a person. */
export class NotKept extends Error {}

interface Running {
  captureId: string;
  documentKey: string;
  abort: AbortController;
  done: Promise<void>;
}

/** Takes captures of tabs: one at a time for each document, joined by every further click on it. */
export class Keeper {
  readonly #outbox: Outbox;
  readonly #jobs: SliceJobs;
  readonly #running = new Map<string, Running>();
  /** Clicks on one tab are looked at one after the other, so that two at once find each other. */
  readonly #turns = new Map<number, Promise<unknown>>();
  #resumed: Promise<void> | undefined;

  constructor(outbox: Outbox, jobs: SliceJobs) {
    this.#outbox = outbox;
    this.#jobs = jobs;
  }

  isRunning(captureId: string): boolean {
    return this.#running.has(captureId);
  }

  /** Resolves when the taking of this capture is over. */
  async whenTaken(captureId: string): Promise<void> {
    await this.resume();
    await this.#running.get(captureId)?.done;
  }

  /**
   * Begins a capture of the tab, or joins the one that runs.
   * @returns the capture's id
   * @throws NotKept for pages of Holdfast itself and those without an address
   */
  keep(tabId: number, wish: KeepWish): Promise<string> {
    const turn = (this.#turns.get(tabId) ?? Promise.resolve()).then(() => this.#keepInTurn(tabId, wish));
    // The next click waits for this one, but does not fail with it.
    this.#turns.set(
      tabId,
      turn.catch(() => undefined),
    );
    return turn;
  }

  async cancel(captureId: string): Promise<void> {
    await this.resume();
    this.#running.get(captureId)?.abort.abort(new Error('You stopped it.'));
  }

  /**
   * Goes on with captures that a stopped service worker left behind, where their document is still there. Once for
   * each life of the service worker; whatever a person asks meanwhile waits until the running captures are known.
   */
  resume(): Promise<void> {
    this.#resumed ??= this.#resumeAll();
    return this.#resumed;
  }

  async #resumeAll(): Promise<void> {
    const session = await browserSession();
    const left = (await this.#outbox.store.list()).filter((record) => record.stage === 'capturing');
    for (const record of left) {
      const here = record.browserSession === session;
      const page = here ? await this.#sameDocument(record) : undefined;
      const anew = page && (await this.#outbox.change(record.id, takenAnew));
      if (page && anew) {
        this.#start(anew, page);
        continue;
      }
      await this.#outbox.change(record.id, (now) => captureTaken(now, INTERRUPTED));
      if (here) await closeOwnTab(record);
    }
  }

  async #keepInTurn(tabId: number, wish: KeepWish): Promise<string> {
    await this.resume();
    const tab = await browser.tabs.get(tabId);
    const notKept = whyNotKept(tab.url ?? '', (await readSettings()).companionAddress);
    if (notKept !== undefined) throw new NotKept(notKept);
    const page = await openPage(tabId);
    const documentKey = page?.documentKey ?? `${UNSCRIPTABLE}${tab.url ?? ''}`;
    const session = await browserSession();
    const joined = [...this.#running.values()].find((running) => running.documentKey === documentKey);
    if (joined) return joined.captureId;
    if (wish.unlessKept) {
      const kept = await this.#findKept(session, tabId, documentKey, page?.url ?? tab.url ?? '');
      if (kept) return kept;
    }
    const record = await this.#outbox.begin({
      url: page?.url ?? tab.url ?? '',
      title: page?.title ?? tab.title ?? '',
      at: Date.now(),
      tabId,
      documentKey,
      browserSession: session,
      closeTab: wish.closeTab,
      planned: plannedWitnesses(page),
    });
    this.#start(record, page);
    return record.id;
  }

  #start(record: CaptureRecord, page: PageDescription | null): void {
    const abort = new AbortController();
    const done = this.#takeAndSend({ record, page, signal: abort.signal });
    this.#running.set(record.id, { captureId: record.id, documentKey: record.documentKey, abort, done });
  }

  async #takeAndSend(taking: Parameters<typeof takeWitnesses>[1]): Promise<void> {
    try {
      await takeWitnesses({ outbox: this.#outbox, jobs: this.#jobs }, taking);
    } finally {
      this.#running.delete(taking.record.id);
      await closeOwnTab(taking.record);
      await this.#outbox.send(true);
    }
  }

  async #findKept(session: string, tabId: number, documentKey: string, url: string): Promise<string | undefined> {
    const records = await this.#outbox.store.list();
    return records.find(
      (record) =>
        record.browserSession === session &&
        record.tabId === tabId &&
        record.documentKey === documentKey &&
        withoutHash(record.url) === withoutHash(url) &&
        record.stage !== 'empty' &&
        record.stage !== 'discarding',
    )?.id;
  }

  async #sameDocument(record: CaptureRecord): Promise<PageDescription | undefined> {
    try {
      const page = await withDeadline(openStage(record.tabId), ASK_MS_MAX, 'The page does not answer.');
      return page.documentKey === record.documentKey ? page : undefined;
    } catch {
      // The tab is closed or went to a page that may not be scripted: either way it is not the same document.
      return undefined;
    }
  }
}
