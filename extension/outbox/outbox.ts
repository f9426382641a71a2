import type { WitnessKind } from '../../shared/model/states.ts';
import type { CompanionClient } from '../companion-client/companion-client.ts';
import { CompanionFailure } from '../companion-client/companion-failure.ts';
import { retryDelayMs } from './backoff.ts';
import type { CaptureRecord } from './capture-record.ts';
import { OutboxFile } from './outbox-file.ts';
import type { OutboxStore } from './outbox-store.ts';
import { sendCapture, sendEdit } from './send-capture.ts';
import * as step from './transitions.ts';

const SENDER_LOCK = 'holdfast-outbox-sender';
/** Captures that are on the companion's disk and remembered here for "kept before". */
const REMEMBERED_MAX = 300;

export interface OutboxOptions {
  store: OutboxStore;
  client: CompanionClient;
  /** After every change that a page may show. */
  onChange: () => void;
  /** A capture came to a stop that the person should hear of. */
  onTrouble: (record: CaptureRecord, sentence: string) => void;
}

/** Everything kept in this browser until the companion has it. State lives in the store; this only moves it. */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #progress = new Map<string, number>();
  #again = false;

  constructor(options: OutboxOptions) {
    this.#options = options;
  }

  get store(): OutboxStore {
    return this.#options.store;
  }

  /** Bytes the companion has of the capture that is being sent now; undefined when it is not being sent. */
  progressOf(id: string): number | undefined {
    return this.#progress.get(id);
  }

  async begin(beginning: step.CaptureBeginning): Promise<CaptureRecord> {
    const record = step.beginCapture(beginning);
    await this.store.add(record);
    this.#options.onChange();
    return record;
  }

  openFile(id: string, kind: WitnessKind, path: string, mimetype: string): OutboxFile {
    return new OutboxFile(this.store, id, path, async (bytes, digest) => {
      await this.change(id, (record) => step.addFile(record, kind, { path, mimetype, bytes, digest }));
    });
  }

  async change(id: string, change: (record: CaptureRecord) => CaptureRecord): Promise<CaptureRecord | undefined> {
    const record = await this.store.change(id, change);
    this.#options.onChange();
    return record;
  }

  /** Forgets the bytes at once; tells the companion when it was already waiting for them. */
  async discard(id: string, reason: string): Promise<void> {
    const record = await this.store.find(id);
    if (!record) return;
    if (record.announced && record.stage !== 'sent') {
      await this.store.changeAndForgetBytes(id, (now) => step.discarded(now, reason));
    } else {
      await this.store.remove(id);
    }
    this.#options.onChange();
  }

  /**
   * Sends what is due, one capture at a time, oldest first. Only one sender runs in this browser; a call beside it
   * makes it look once more.
   * @param now ignores waiting times (the person asked, or something new is there)
   */
  async send(now = false): Promise<void> {
    if (now) await this.#clearWaits();
    this.#again = true;
    await navigator.locks.request(SENDER_LOCK, { ifAvailable: true }, async (lock) => {
      if (!lock) return;
      while (this.#again) {
        this.#again = false;
        await this.#sendDue();
      }
    });
  }

  /**
   * When the background has to be awake next, milliseconds UTC; undefined when nothing waits. A capture that is being
   * taken counts: should the browser stop the background in the middle, nobody else would wake it.
   */
  async nextDue(): Promise<number | undefined> {
    const waiting = (await this.store.list()).filter((record) => isToSend(record) || record.stage === 'capturing');
    return waiting.length === 0 ? undefined : Math.min(...waiting.map((record) => record.retry.nextAt));
  }

  async #sendDue(): Promise<void> {
    const due = (await this.store.list()).filter((record) => isToSend(record) && record.retry.nextAt <= Date.now());
    for (const record of due.reverse()) {
      if (!(await this.#trySend(record))) return;
    }
    await this.#forgetOld();
  }

  /** @returns false when it makes no sense to try the next one */
  async #trySend(record: CaptureRecord): Promise<boolean> {
    const doors = {
      client: this.#options.client,
      store: this.store,
      onProgress: (id: string, bytes: number) => {
        this.#progress.set(id, bytes);
        this.#options.onChange();
      },
    };
    try {
      this.#progress.set(record.id, 0);
      if (record.stage === 'sent') await sendEdit(doors, record.id);
      else await sendCapture(doors, record.id);
      return true;
    } catch (error) {
      return await this.#failed(record.id, error);
    } finally {
      this.#progress.delete(record.id);
      this.#options.onChange();
    }
  }

  async #failed(id: string, error: unknown): Promise<boolean> {
    const failure =
      error instanceof CompanionFailure
        ? error
        : new CompanionFailure('busy', `Sending stopped: ${error instanceof Error ? error.message : String(error)}.`, {
            cause: error,
          });
    const { kind, message: sentence } = failure;
    if (kind === 'deleted' || kind === 'refused') {
      const stage = kind === 'deleted' ? 'deleted_there' : 'refused';
      const record = await this.store.change(id, (now) =>
        now.stage === 'sent' ? { ...now, unsentEdit: null } : step.stopped(now, stage, sentence),
      );
      if (record?.stage === stage) this.#options.onTrouble(record, sentence);
      return true;
    }
    const record = await this.store.change(id, (now) => {
      const delay = retryDelayMs(now.retry.failures, Math.random(), failure.retryAfterMs);
      return step.postponed(now, Date.now() + delay, sentence);
    });
    if (record && (kind === 'disk_full' || kind === 'revoked') && record.retry.failures === 1) {
      this.#options.onTrouble(record, sentence);
    }
    if (!isAboutConnection(kind)) return true;
    await this.#postponeOthers(record?.retry.nextAt ?? Date.now(), sentence);
    return false;
  }

  /** What keeps one capture from the companion keeps all of them: they say the same and wait together. */
  async #postponeOthers(nextAt: number, sentence: string): Promise<void> {
    for (const other of (await this.store.list()).filter(isToSend)) {
      if (other.retry.nextAt >= nextAt) continue;
      await this.store.change(other.id, (now) => ({ ...now, retry: { ...now.retry, nextAt, sentence } }));
    }
  }

  async #clearWaits(): Promise<void> {
    for (const record of (await this.store.list()).filter((one) => isToSend(one) && one.retry.nextAt > 0)) {
      await this.store.change(record.id, (now) => ({ ...now, retry: { ...now.retry, nextAt: 0 } }));
    }
  }

  async #forgetOld(): Promise<void> {
    const done = (await this.store.list()).filter((record) => record.stage === 'sent' && !record.unsentEdit);
    for (const record of done.slice(REMEMBERED_MAX)) await this.store.remove(record.id);
  }
}

function isToSend(record: CaptureRecord): boolean {
  return (
    record.stage === 'waiting' ||
    record.stage === 'discarding' ||
    (record.stage === 'sent' && record.unsentEdit !== null)
  );
}

function isAboutConnection(kind: CompanionFailure['kind']): boolean {
  return ['not_running', 'stranger', 'other_version', 'unpaired', 'revoked', 'busy', 'disk_full'].includes(kind);
}
