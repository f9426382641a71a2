import { describe, openStage } from '../../capture/page-stage.ts';
import type { PageDescription } from '../../capture/page/describe-page.ts';
import { showsFile } from '../../capture/shown-file.ts';
import type { SliceJobs } from '../../capture/slice-jobs.ts';
import type { WitnessKind } from '../../../shared/model/states.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { captureTaken } from '../../outbox/transitions.ts';
import { browser } from '../../platform/browser.ts';
import { knowsMhtml } from '../../platform/features.ts';
import { NotScriptable } from '../../platform/scripting.ts';
import { browserSession } from './browser-session.ts';
import { takeWitnesses } from './take-witnesses.ts';

const INTERRUPTED = 'Interrupted: the browser stopped before this was taken.';

export interface KeepWish {
  /** A document that was captured before is not captured again. */
  unlessKept: boolean;
  /** Nobody looks at the tab: no picture can be taken of it. */
  background: boolean;
  /** The tab was opened by us and goes away afterwards. */
  closeTab: boolean;
}

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

  constructor(outbox: Outbox, jobs: SliceJobs) {
    this.#outbox = outbox;
    this.#jobs = jobs;
  }

  isRunning(captureId: string): boolean {
    return this.#running.has(captureId);
  }

  /** Resolves when the taking of this capture is over. */
  async whenTaken(captureId: string): Promise<void> {
    await this.#running.get(captureId)?.done;
  }

  /** Begins a capture of the tab, or joins the one that runs. @returns the capture's id */
  keep(tabId: number, wish: KeepWish): Promise<string> {
    const turn = (this.#turns.get(tabId) ?? Promise.resolve()).then(() => this.#keepInTurn(tabId, wish));
    // The next click waits for this one, but does not fail with it.
    this.#turns.set(
      tabId,
      turn.catch(() => undefined),
    );
    return turn;
  }

  cancel(captureId: string): void {
    this.#running.get(captureId)?.abort.abort(new Error('You stopped it.'));
  }

  /** Goes on with captures that a stopped service worker left behind, where their document is still there. */
  async resume(): Promise<void> {
    const session = await browserSession();
    for (const record of await this.#outbox.store.list()) {
      if (record.stage !== 'capturing' || this.isRunning(record.id)) continue;
      const tab = record.browserSession === session ? await this.#sameDocument(record) : undefined;
      if (tab) this.#start(record, tab.page, false);
      else await this.#outbox.change(record.id, (now) => captureTaken(now, INTERRUPTED));
    }
  }

  async #keepInTurn(tabId: number, wish: KeepWish): Promise<string> {
    const tab = await browser.tabs.get(tabId);
    const page = await openPage(tabId);
    const documentKey = page?.documentKey ?? `unscriptable ${tab.url ?? ''}`;
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
    this.#start(record, page, wish.background);
    return record.id;
  }

  #start(record: CaptureRecord, page: PageDescription | null, background: boolean): void {
    const abort = new AbortController();
    const done = this.#takeAndSend({ record, page, background, signal: abort.signal });
    this.#running.set(record.id, { captureId: record.id, documentKey: record.documentKey, abort, done });
  }

  async #takeAndSend(taking: Parameters<typeof takeWitnesses>[1]): Promise<void> {
    try {
      await takeWitnesses({ outbox: this.#outbox, jobs: this.#jobs }, taking);
    } finally {
      const { id, tabId, closeTab } = taking.record;
      this.#running.delete(id);
      if (closeTab) await browser.tabs.remove(tabId).catch(() => undefined);
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

  async #sameDocument(record: CaptureRecord): Promise<{ page: PageDescription } | undefined> {
    try {
      await openStage(record.tabId);
      const page = await describe(record.tabId);
      return page.documentKey === record.documentKey ? { page } : undefined;
    } catch {
      // The tab is closed or went to a page that may not be scripted: either way it is not the same document.
      return undefined;
    }
  }
}

/** Null where no script may run. */
async function openPage(tabId: number): Promise<PageDescription | null> {
  try {
    return await openStage(tabId);
  } catch (error) {
    if (error instanceof NotScriptable) return null;
    throw error;
  }
}

function plannedWitnesses(page: PageDescription | null): WitnessKind[] {
  if (page && showsFile(page.contentType)) return ['facts', 'file', 'screenshot'];
  return knowsMhtml() ? ['facts', 'dom', 'mhtml', 'screenshot'] : ['facts', 'dom', 'screenshot'];
}

function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
