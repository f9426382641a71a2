import type {
  CaptureView,
  OptionsState,
  OutboxState,
  PermissionsView,
  PopupState,
  TabView,
} from '../../messaging/view-model.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import { browser } from '../../platform/browser.ts';
import type { Tabs } from '../../platform/browser.ts';
import { everythingAllowed } from '../../platform/permissions.ts';
import { readSettings } from '../../settings/settings.ts';
import { browserSession } from './browser-session.ts';
import type { Doors } from './doors.ts';
import { isUnscriptable, whyNotKept } from './tabs-to-keep.ts';
import { totalsOf, viewCapture } from './views.ts';

const RECENT_MAX = 8;
const VERSIONS_MAX = 12;
const ONLY_SEEN = 'The browser lets no extension look into this page. Only its visible part can be kept.';
const PARTLY =
  'Frames of other sites and the web archive are not kept, and "Save link" does not work: that needs your permission to read all sites.';

export async function popupState(doors: Doors, tabId: number | undefined): Promise<PopupState> {
  const [connection, all, tab, session, { companionAddress }] = await Promise.all([
    doors.connection.current(),
    visibleRecords(doors),
    findTab(tabId),
    browserSession(),
    readSettings(),
  ]);
  const view = (record: CaptureRecord) => toView(doors, record);
  const here = tab?.id;
  const url = tab?.url ?? '';
  const current = all.find(
    (record) => record.browserSession === session && record.tabId === here && samePage(record.url, url),
  );
  const versions = all.filter((record) => samePage(record.url, url) && record !== current);
  return {
    connection,
    tab: tab && here !== undefined ? viewTab(tab, here, current, companionAddress) : null,
    current: current ? view(current) : null,
    versions: versions.slice(0, VERSIONS_MAX).map(view),
    recent: all.slice(0, RECENT_MAX).map(view),
    outbox: totalsOf(all),
    permissions: await permissionsView(),
  };
}

export async function optionsState(doors: Doors): Promise<OptionsState> {
  const [connection, all, settings, commands] = await Promise.all([
    doors.connection.current(),
    visibleRecords(doors),
    readSettings(),
    browser.commands.getAll(),
  ]);
  return {
    connection,
    companionAddress: settings.companionAddress,
    fingerprint: settings.pairing?.fingerprint ?? '',
    permissions: await permissionsView(),
    outbox: totalsOf(all),
    shortcut: commands.find((command) => command.name === 'keep-page')?.shortcut ?? '',
    extensionVersion: browser.runtime.getManifest().version,
  };
}

export async function outboxState(doors: Doors): Promise<OutboxState> {
  const connection = await doors.connection.current();
  const all = await visibleRecords(doors);
  return {
    connection,
    waiting: all.filter((record) => record.stage !== 'sent').map((record) => toView(doors, record)),
    done: all.filter((record) => record.stage === 'sent').map((record) => toView(doors, record)),
    outbox: totalsOf(all),
  };
}

/** A discarded capture is gone for the person, even while the companion has yet to hear of it. */
async function visibleRecords(doors: Doors): Promise<CaptureRecord[]> {
  return (await doors.outbox.store.list()).filter((record) => record.stage !== 'discarding');
}

function toView(doors: Doors, record: CaptureRecord): CaptureView {
  return viewCapture(record, {
    progress: doors.outbox.progressOf(record.id),
    libraryUrl: doors.connection.view.libraryUrl,
  });
}

async function findTab(tabId: number | undefined): Promise<Tabs.Tab | undefined> {
  if (tabId !== undefined) return browser.tabs.get(tabId).catch(() => undefined);
  return (await browser.tabs.query({ active: true, lastFocusedWindow: true }))[0];
}

function viewTab(tab: Tabs.Tab, id: number, current: CaptureRecord | undefined, companion: string): TabView {
  const url = tab.url ?? '';
  const seen = { id, url, title: tab.title ?? '' };
  const notKept = whyNotKept(url, companion);
  if (notKept !== undefined) return { ...seen, keepable: false, why: notKept };
  // The browser's store has an ordinary address: only the attempt shows that no script may run there.
  const closed = current ? isUnscriptable(current) : !/^(https?|file):/.test(url);
  return { ...seen, keepable: true, ...(closed ? { why: ONLY_SEEN } : {}) };
}

async function permissionsView(): Promise<PermissionsView> {
  const full = await everythingAllowed();
  return { full, sentence: full ? '' : PARTLY };
}

function samePage(a: string, b: string): boolean {
  return a !== '' && a.split('#', 1)[0] === b.split('#', 1)[0];
}
