import { fetchForPage } from '../../capture/fetch-for-page.ts';
import { CompanionFailure } from '../../companion-client/companion-failure.ts';
import type { Handlers } from '../../messaging/listen-messages.ts';
import type { Outcome, ReplyOf } from '../../messaging/messages.ts';
import { edited, sendAsNew } from '../../outbox/transitions.ts';
import { browser } from '../../platform/browser.ts';
import { parseCompanionAddress } from '../../settings/companion-address.ts';
import { changeSettings, readSettings } from '../../settings/settings.ts';
import { browserName } from './browser-name.ts';
import type { Doors } from './doors.ts';
import { NotKept } from './keeper.ts';
import { optionsState, outboxState, popupState } from './page-states.ts';
import { snapshotUrl } from './views.ts';

/** What becomes of the connection every page shows as it changes; an answer would stay there when it is over. */
const SEEN_IN_STATE: Outcome = { ok: true, sentence: '' };

/** What the background does for each message. Doors open while the first message waits. */
export function makeHandlers(opened: Promise<Doors>): Handlers {
  return {
    getPopupState: async ({ tabId }) => popupState(await opened, tabId),
    getOptionsState: async () => optionsState(await opened),
    getOutboxState: async () => outboxState(await opened),
    keepTab: async ({ tabId, unlessKept }) => keepTab(await opened, tabId, unlessKept),
    cancelCapture: async ({ id }) => {
      const { keeper } = await opened;
      await keeper.cancel(id);
      return done('Stopping. What is complete is kept.');
    },
    discardCapture: async ({ id }) => {
      const { outbox, keeper } = await opened;
      await keeper.cancel(id);
      await keeper.whenTaken(id);
      await outbox.discard(id, 'You discarded it.');
      void outbox.send(true);
      return done('Discarded.');
    },
    sendAsNew: async ({ id }) => {
      const { outbox } = await opened;
      await outbox.change(id, (record) => sendAsNew(record, Date.now()));
      void outbox.send(true);
      return done('Sending it again.');
    },
    retryOutbox: async () => {
      const { outbox, connection } = await opened;
      await connection.check();
      // Sending may take minutes; the page sees it in the state.
      void outbox.send(true);
      return SEEN_IN_STATE;
    },
    editCapture: async ({ id, ...edit }) => {
      const { outbox } = await opened;
      await outbox.change(id, (record) => edited(record, edit));
      void outbox.send(true);
      return done('Changed.');
    },
    pair: async ({ code }) => pair(await opened, code),
    unpair: async () => {
      const { connection } = await opened;
      await changeSettings({ pairing: null });
      await connection.check();
      return SEEN_IN_STATE;
    },
    setCompanionAddress: async ({ address }) => setAddress(await opened, address),
    checkConnection: async () => {
      const { connection, outbox } = await opened;
      const view = await connection.check();
      if (view.kind === 'connected') void outbox.send(true);
      return SEEN_IN_STATE;
    },
    openLibrary: async ({ captureId }) => openLibrary(await opened, captureId),
    takeSlice: async ({ job, index, base64 }, sender) => {
      await (await opened).jobs.take(job, sender.tab?.id, index, base64);
      return { ok: true };
    },
    fetchResource: async ({ job, url }, sender) => {
      (await opened).jobs.requireRunning(job, sender.tab?.id);
      const { companionAddress } = await readSettings();
      return fetchForPage(url, `http://${companionAddress}`);
    },
  };
}

async function keepTab({ keeper }: Doors, tabId: number, unlessKept: boolean): Promise<ReplyOf<'keepTab'>> {
  try {
    const captureId = await keeper.keep(tabId, { unlessKept, closeTab: false });
    return { ok: true, sentence: 'Keeping the page.', captureId };
  } catch (error) {
    if (!(error instanceof NotKept)) throw error;
    return { ok: false, sentence: error.message, captureId: null };
  }
}

async function pair(doors: Doors, code: string): Promise<Outcome & { fingerprint: string }> {
  try {
    const paired = await doors.client.pair(code, browserName(navigator.userAgent));
    const { pairing_id: pairingId, secret, token, user, fingerprint } = paired;
    await changeSettings({ pairing: { pairingId, secret, token, user, fingerprint, revoked: false } });
    await doors.connection.check();
    void doors.outbox.send(true);
    return { ok: true, sentence: `Paired. Both sides show ${fingerprint}.`, fingerprint };
  } catch (error) {
    if (!(error instanceof CompanionFailure)) throw error;
    return { ok: false, sentence: error.message, fingerprint: '' };
  }
}

async function setAddress(doors: Doors, text: string): Promise<Outcome> {
  const parsed = parseCompanionAddress(text);
  if (!parsed.ok) return parsed;
  await changeSettings({ companionAddress: parsed.address });
  await doors.connection.check();
  return done('Saved.');
}

async function openLibrary(doors: Doors, captureId: string | undefined): Promise<Outcome> {
  const view = await doors.connection.current();
  if (view.libraryUrl === undefined) return { ok: false, sentence: view.sentence };
  const record = captureId === undefined ? undefined : await doors.outbox.store.find(captureId);
  const url = record ? snapshotUrl(view.libraryUrl, record.snapshotId) : view.libraryUrl;
  await browser.tabs.create({ url });
  return done('Opened.');
}

function done(sentence: string): Outcome {
  return { ok: true, sentence };
}
