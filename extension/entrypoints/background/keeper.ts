import { openStage } from '../../capture/page-stage.ts';
import type { PageDescription } from '../../capture/page/describe-page.ts';
import type { SliceJobs } from '../../capture/slice-jobs.ts';
import { NO_DOCUMENT, NO_TAB } from '../../outbox/capture-record.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { captureTaken, linkOpened, takenAnew } from '../../outbox/transitions.ts';
import { browser } from '../../platform/browser.ts';
import { withDeadline } from '../../platform/deadline.ts';
import { readSettings } from '../../settings/settings.ts';
import { browserSession } from './browser-session.ts';
import { settleLink } from './link-tab.ts';
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
    // A link that is opened goes on as the taking of its page.
    for (let running = this.#running.get(captureId); running; running = this.#running.get(captureId)) {
      await running.done;
    }
  }

  /**
   * Begins a capture of the tab, or joins the one that runs.
   * @returns the capture's id
   * @throws NotKept for pages of Holdfast itself and those without an address
   */
  keep(tabId: number, wish: KeepWish): Promise<string> {
    return this.#inTurn(tabId, () => this.#keepInTurn(tabId, wish));
  }

  /**
   * Keeps the page behind a link as this browser sees it, logged in: a tab in the background, its copies, no picture
   * (nobody sees it), and the tab is closed when the bytes are on the disk. The wish is written down before anything
   * else, so that it outlives a stopped service worker. Resolves when the taking has begun.
   * @throws NotKept for links into Holdfast itself; Error with a sentence when there is no page, which the record says
   */
  async keepLink(url: string): Promise<void> {
    await this.resume();
    const notKept = whyNotKept(url, (await readSettings()).companionAddress);
    if (notKept !== undefined) throw new NotKept(notKept);
    const record = await this.#outbox.begin({
      url,
      title: '',
      at: Date.now(),
      tabId: NO_TAB,
      documentKey: NO_DOCUMENT,
      browserSession: await browserSession(),
      closeTab: true,
      planned: plannedWitnesses({ contentType: 'text/html' }),
    });
    await this.#startLink(record);
  }

  #inTurn<Value>(tabId: number, work: () => Promise<Value>): Promise<Value> {
    const turn = (this.#turns.get(tabId) ?? Promise.resolve()).then(work);
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
      if (here && record.documentKey === NO_DOCUMENT) {
        // Loading takes its time, and nobody has to wait for it. The record tells how it ended.
        void this.#startLink(record).catch(() => undefined);
        continue;
      }
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

  #startLink(record: CaptureRecord): Promise<void> {
    const abort = new AbortController();
    const opened = this.#openLink(record, abort);
    const done = opened.catch(() => undefined);
    this.#running.set(record.id, { captureId: record.id, documentKey: `link ${record.id}`, abort, done });
    return opened;
  }

  /** Opens the tab of a link where there is none yet, waits for its page, and begins to take it. */
  async #openLink(record: CaptureRecord, abort: AbortController): Promise<void> {
    let { tabId } = record;
    try {
      if (tabId === NO_TAB) {
        tabId = (await browser.tabs.create({ url: record.url, active: false })).id ?? NO_TAB;
        await this.#outbox.change(record.id, (now) => ({ ...now, tabId }));
      }
      // A click on the tab meanwhile waits, and then joins.
      await this.#inTurn(tabId, async () => {
        await settleLink(tabId, abort.signal);
        await this.#takeLink(record.id, tabId, abort);
      });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await this.#outbox.change(record.id, (now) => captureTaken(now, why));
      this.#running.delete(record.id);
      await closeOwnTab({ ...record, tabId });
      // The person knows what they stopped.
      if (!abort.signal.aborted) throw error;
    }
  }

  async #takeLink(id: string, tabId: number, abort: AbortController): Promise<void> {
    const tab = await browser.tabs.get(tabId);
    const notKept = whyNotKept(tab.url ?? '', (await readSettings()).companionAddress);
    if (notKept !== undefined) throw new NotKept(notKept);
    const page = await openPage(tabId);
    const record = await this.#outbox.change(id, (now) =>
      linkOpened(now, {
        url: page?.url ?? tab.url ?? now.url,
        title: page?.title ?? tab.title ?? '',
        documentKey: page?.documentKey ?? `${UNSCRIPTABLE}${tab.url ?? ''}`,
        planned: plannedWitnesses(page),
      }),
    );
    if (record) this.#start(record, page, abort);
    else this.#running.delete(id);
  }

  #start(record: CaptureRecord, page: PageDescription | null, abort = new AbortController()): void {
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
