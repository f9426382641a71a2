import { captureDom } from '../../capture/dom.ts';
import type { DomOutcome } from '../../capture/dom.ts';
import { missingSentences, writeFacts } from '../../capture/facts.ts';
import type { CaptureFacts, WitnessFact } from '../../capture/facts.ts';
import type { OpenFile } from '../../capture/file-sink.ts';
import { captureMhtml } from '../../capture/mhtml.ts';
import { describe, listFailedImages, runLazyPass, stageDeadlineMs } from '../../capture/page-stage.ts';
import type { PageDescription } from '../../capture/page/describe-page.ts';
import type { LazyPassReport } from '../../capture/page/lazy-pass.ts';
import type { PictureOutcome, PictureSubject } from '../../capture/picture-subject.ts';
import { captureScreenshot, shootView } from '../../capture/screenshot.ts';
import { captureShownFile } from '../../capture/shown-file.ts';
import type { SliceJobs } from '../../capture/slice-jobs.ts';
import { TabWatch } from '../../capture/tab-watch.ts';
import { makeThumbnail } from '../../capture/thumbnail.ts';
import type { WitnessKind } from '../../../shared/model/states.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import type { Outbox } from '../../outbox/outbox.ts';
import { addMissing, witnessKept, witnessMissing } from '../../outbox/transitions.ts';
import { browser } from '../../platform/browser.ts';
import { DeadlinePassed, withDeadline } from '../../platform/deadline.ts';
import { PAGE_SILENT, PageSilent } from '../../platform/scripting.ts';
import { allSitesAllowed } from '../../platform/permissions.ts';

export interface TakeDoors {
  outbox: Outbox;
  jobs: SliceJobs;
}

export interface TakeWish {
  record: CaptureRecord;
  page: PageDescription | null;
  signal: AbortSignal;
}

const NOT_IN_FRONT = 'Not taken: the page was opened in the background. Holdfast draws the picture from the kept copy.';
const UNSEEN = 'Pictures that load only when they are seen may be missing: the page was opened in the background.';
const ASK_MS_MAX = 5_000;
/** What the page itself has a part in; the others come from the browser. */
const needsAnswers = new Set<WitnessKind>(['dom', 'screenshot', 'file']);
export const LEFT = 'Interrupted: the tab went to another page.';

/** One running capture and what it has learned so far. */
export class Taking {
  readonly record: CaptureRecord;
  readonly watch: TabWatch;
  readonly #doors: TakeDoors;
  readonly #wish: TakeWish;
  readonly #facts: Record<string, WitnessFact> = {};
  #lazy: LazyPassReport | null = null;
  #dom: DomOutcome | null = null;
  #picture: PictureOutcome | null = null;
  #failedImages: string[] = [];
  /** The page did not answer for longer than any page is merely busy: nothing more is asked of it. */
  #isSilent = false;

  constructor(doors: TakeDoors, wish: TakeWish) {
    this.#doors = doors;
    this.#wish = wish;
    this.record = wish.record;
    this.watch = new TabWatch(wish.record.tabId);
    // What was complete before an interruption; when exactly it was taken is not known any more.
    for (const { kind, outcome, note } of wish.record.witnesses) {
      if (outcome !== 'planned') this.#facts[kind] = { outcome, note, startedAt: null, endedAt: null };
    }
  }

  async takePage(page: PageDescription): Promise<void> {
    const { tabId } = this.record;
    if (!this.record.closeTab && this.record.thumbnail === '' && this.#isPlanned('screenshot'))
      await this.#takeThumbnail(page);
    if (this.#isPlanned('dom') || this.#isPlanned('mhtml')) {
      this.#lazy = await this.#tryLazyPass();
      this.#failedImages = await this.#attempt(() => listFailedImages(tabId), []);
    }
    await this.take('file', (open) => this.#takeShownFile(page, open));
    await this.take('mhtml', (open) => captureMhtml(tabId, open));
    await this.take('dom', (open) => this.#takeDom(page, open));
    if (this.record.closeTab) {
      await this.addMissing([UNSEEN]);
      await this.skip('screenshot', NOT_IN_FRONT);
    } else await this.take('screenshot', (open) => this.#takePicture(page, open));
  }

  async takeFacts(): Promise<void> {
    const { id } = this.record;
    await this.take('facts', async (open) => {
      const now = await this.#doors.outbox.store.find(id);
      await writeFacts(this.#collectFacts(now?.missing ?? []), open);
    });
  }

  /**
   * Runs the taking of one witness and records how it went. The document is looked at again afterwards: what was
   * taken of another one is thrown away.
   */
  async take(kind: WitnessKind, how: (open: OpenFile) => Promise<string | void>): Promise<void> {
    if (!this.#isPlanned(kind)) return;
    const startedAt = new Date().toISOString();
    const { id } = this.record;
    const open: OpenFile = async (path, mimetype) => this.#doors.outbox.openFile(id, kind, path, mimetype);
    let note = '';
    let outcome: 'kept' | 'failed' = 'kept';
    try {
      this.#wish.signal.throwIfAborted();
      if (this.#isSilent && needsAnswers.has(kind)) throw new Error(PAGE_SILENT);
      note = (await how(open)) ?? '';
      if (kind !== 'facts') await this.#requireDocument();
      await this.#doors.outbox.change(id, (record) => witnessKept(record, kind, note));
    } catch (error) {
      outcome = 'failed';
      await this.#noteSilence(error);
      note = sentenceOf(error);
      await this.#doors.outbox.change(id, (record) => witnessMissing(record, kind, 'failed', note));
    }
    this.#facts[kind] = { outcome, note, startedAt, endedAt: new Date().toISOString() };
  }

  async skip(kind: WitnessKind, why: string): Promise<void> {
    if (!this.#isPlanned(kind)) return;
    await this.#doors.outbox.change(this.record.id, (record) => witnessMissing(record, kind, 'skipped', why));
    this.#facts[kind] = { outcome: 'skipped', note: why, startedAt: null, endedAt: null };
  }

  async setThumbnail(bitmap: ImageBitmap): Promise<void> {
    const thumbnail = await makeThumbnail(bitmap);
    await this.#doors.outbox.change(this.record.id, (record) => ({ ...record, thumbnail }));
  }

  async addMissing(sentences: string[]): Promise<void> {
    if (sentences.length === 0) return;
    await this.#doors.outbox.change(this.record.id, (record) => addMissing(record, sentences));
  }

  get signal(): AbortSignal {
    return this.#wish.signal;
  }

  /** A witness that was complete before an interruption is not taken twice. */
  #isPlanned(kind: WitnessKind): boolean {
    return this.record.witnesses.some((witness) => witness.kind === kind && witness.outcome === 'planned');
  }

  async #takeThumbnail(page: PageDescription): Promise<void> {
    const shot = await this.#attempt(() => shootView(this.#subject(page)), undefined);
    if (!shot) return;
    await this.setThumbnail(shot.bitmap);
    shot.bitmap.close();
  }

  async #takeDom(page: PageDescription, open: OpenFile): Promise<string> {
    const { tabId } = this.record;
    this.#dom = await captureDom({ tabId, documentKey: page.documentKey }, this.#doors.jobs, open);
    await this.addMissing(missingSentences(this.#dom, this.#failedImages, await allSitesAllowed()));
    return this.#dom.partial;
  }

  async #takeShownFile(page: PageDescription, open: OpenFile): Promise<string> {
    const { tabId } = this.record;
    await captureShownFile({ tabId, documentKey: page.documentKey }, this.#doors.jobs, open);
    return 'The tab shows a file: its own bytes were kept.';
  }

  async #takePicture(page: PageDescription, open: OpenFile): Promise<string> {
    this.#picture = await captureScreenshot(this.#subject(page), open, this.signal);
    await this.addMissing(this.#picture.notes);
    return this.#picture.notes.join(' ');
  }

  async #tryLazyPass(): Promise<LazyPassReport | null> {
    const pass = () =>
      withDeadline(runLazyPass(this.record.tabId), stageDeadlineMs, 'The page took too long to look over.');
    const report = await this.#attempt(pass, null);
    if (report && report.imagesPending > 0) {
      await this.addMissing(['Some pictures were still loading when the page was kept.']);
    }
    return report;
  }

  /** For what may fail without costing a witness: the page is looked at again before each of them. */
  async #attempt<Value>(what: () => Promise<Value>, otherwise: Value): Promise<Value> {
    if (this.#isSilent) return otherwise;
    try {
      return await what();
    } catch (error) {
      await this.#noteSilence(error);
      return otherwise;
    }
  }

  /** After something took too long: one short question decides whether the page still answers. */
  async #noteSilence(error: unknown): Promise<void> {
    if (this.#isSilent || !(error instanceof PageSilent || error instanceof DeadlinePassed)) return;
    const answer = withDeadline(describe(this.record.tabId), ASK_MS_MAX, PAGE_SILENT);
    this.#isSilent = await answer.then(
      () => false,
      () => true,
    );
  }

  async #requireDocument(): Promise<void> {
    if (!this.#wish.page) return;
    if (this.#isSilent) {
      // It cannot be asked; but a page that hangs goes nowhere by itself.
      const tab = await browser.tabs.get(this.record.tabId).catch(() => undefined);
      if (tab?.url !== undefined && tab.url !== this.record.url) throw new Error(LEFT);
      return;
    }
    const now = await describe(this.record.tabId).catch(() => undefined);
    if (now?.documentKey !== this.record.documentKey) throw new Error(LEFT);
  }

  #subject(page: PageDescription): PictureSubject {
    return { tabId: this.record.tabId, documentKey: page.documentKey, url: page.url, watch: this.watch };
  }

  #collectFacts(missing: string[]): CaptureFacts {
    const { id, at, url, title } = this.record;
    return {
      captureId: id,
      capturedAt: new Date(at).toISOString(),
      extensionVersion: browser.runtime.getManifest().version,
      url,
      title,
      page: this.#wish.page,
      lazyPass: this.#lazy,
      frames: this.#dom?.frames ?? null,
      failedImages: this.#failedImages,
      failedResources: this.#dom?.report.failedResources ?? [],
      picture: this.#picture,
      witnesses: this.#facts,
      missing,
    };
  }
}

function sentenceOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
