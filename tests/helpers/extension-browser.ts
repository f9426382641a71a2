import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import puppeteer from 'puppeteer-core';
import type { Browser, Page, WebWorker } from 'puppeteer-core';
import type { MessageName, ReplyOf, RequestOf } from '../../extension/messaging/messages.ts';
import type { CaptureRecord } from '../../extension/outbox/capture-record.ts';

/** What the functions that run inside a page or the service worker of the extension use. */
declare const chrome: {
  runtime: { sendMessage(message: unknown): Promise<unknown> };
  tabs: { query(query: object): Promise<{ id?: number; url?: string }[]>; remove(id: number): Promise<void> };
  contextMenus: { onClicked: { dispatch(info: object, tab: object | undefined): void } };
  alarms: { getAll(): Promise<{ name: string }[]> };
  notifications: { getAll(): Promise<Record<string, true>> };
  commands: { onCommand: { dispatch(command: string, tab: object | undefined): void } };
};

const chromiumFile = process.env.HOLDFAST_CHROMIUM ?? '/usr/bin/chromium';
const extensionId = 'ofggjbfdkbapbihmgfppmpbgcakgggkl';

export interface ExtensionBrowser {
  browser: Browser;
  userDataDir: string;
  /** A real click on the toolbar button: opens the popup and grants `activeTab` for this tab. */
  clickToolbar: (page: Page) => Promise<void>;
  /** Chooses an entry of the context menu of the tab that shows `url`. The menu itself is the system's, out of reach. */
  clickMenu: (menuItemId: string, info: { linkUrl?: string }, url: string) => Promise<void>;
  /** What the browser does when the shortcut of "keep this page" is pressed in the tab that shows `url`. */
  pressShortcut: (url: string) => Promise<void>;
  /** Names of the alarms by which the browser will wake the service worker. */
  alarms: () => Promise<string[]>;
  /** Ids of the notifications that are shown now. */
  notifications: () => Promise<string[]>;
  /** The service worker as it lives now; it is another one after it was stopped. */
  worker: () => Promise<WebWorker>;
  /** Sends a message as a page of the extension does, and so wakes the service worker. */
  send: <Name extends MessageName>(name: Name, request: RequestOf<Name>) => Promise<ReplyOf<Name>>;
  /** Opens a page of the extension, such as `options.html`. */
  openPage: (file: string) => Promise<Page>;
  tabId: (url: string) => Promise<number>;
  /** As a person closes it. */
  closeTab: (tabId: number) => Promise<void>;
  captures: () => Promise<CaptureRecord[]>;
  /** Bytes of one file in the outbox. */
  readFile: (captureId: string, file: string) => Promise<Buffer>;
  /** Resolves with the capture when it is as wanted; fails with what it is after `ms`. */
  waitForCapture: (wanted: (record: CaptureRecord) => boolean, ms?: number) => Promise<CaptureRecord>;
  pair: (companion: { port: number; pairingCode: string }) => Promise<void>;
  close: () => Promise<void>;
}

export interface LaunchOptions {
  /** `shipped` asks for the optional permissions at run time, as it is published; tests cannot answer that. */
  build?: 'test' | 'shipped';
  /** Of an earlier launch, to go on in the same profile. */
  userDataDir?: string;
  args?: string[];
  width?: number;
  height?: number;
}

/** Chromium with the built extension in a profile of its own. */
export async function launchWithExtension(options: LaunchOptions = {}): Promise<ExtensionBrowser> {
  const folder = path.resolve(
    process.env.HOLDFAST_OUT ?? 'dist',
    'extension',
    options.build === 'shipped' ? 'chrome-mv3' : 'chrome-mv3-test',
  );
  const userDataDir = options.userDataDir ?? fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-profile-'));
  const browser = await puppeteer.launch({
    executablePath: chromiumFile,
    headless: true,
    pipe: true,
    enableExtensions: [folder],
    userDataDir,
    defaultViewport: null,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--window-size=${options.width ?? 1000},${options.height ?? 800}`,
      ...(options.args ?? []),
    ],
  });
  return drive(browser, userDataDir, options.userDataDir === undefined);
}

async function drive(browser: Browser, userDataDir: string, ownProfile: boolean): Promise<ExtensionBrowser> {
  const base = `chrome-extension://${extensionId}/`;
  const openPage = async (file: string): Promise<Page> => {
    const page = await browser.newPage();
    await page.goto(base + file);
    return page;
  };
  // A page of the extension that stays open behind the others, to speak through.
  await browser.waitForTarget((target) => target.url() === `${base}background.js`);
  const control = await openPage('outbox.html');
  const send = async <Name extends MessageName>(name: Name, request: RequestOf<Name>): Promise<ReplyOf<Name>> => {
    const answer = await control.evaluate(
      (envelope) => chrome.runtime.sendMessage(envelope) as Promise<{ reply?: unknown; refused?: string }>,
      { holdfast: name as string, request: request as unknown },
    );
    if (answer.refused !== undefined) throw new Error(answer.refused);
    return answer.reply as ReplyOf<Name>;
  };
  const captures = async (): Promise<CaptureRecord[]> => (await control.evaluate(readRecords)) as CaptureRecord[];
  const worker = async (): Promise<WebWorker> => {
    const target = await browser.waitForTarget(
      (one) => one.type() === 'service_worker' && one.url() === `${base}background.js`,
    );
    const found = await target.worker();
    if (!found) throw new Error('the service worker is gone');
    return found;
  };
  return {
    browser,
    userDataDir,
    clickToolbar: async (page) => {
      const extension = (await browser.extensions()).get(extensionId);
      if (!extension) throw new Error('the extension is not loaded');
      await page.triggerExtensionAction(extension);
    },
    clickMenu: async (menuItemId, info, url) => {
      await (await worker()).evaluate(chooseMenuItem, { menuItemId, pageUrl: url, editable: false, ...info }, url);
    },
    pressShortcut: async (url) => {
      await (await worker()).evaluate(pressKeepPage, url);
    },
    alarms: async () => (await control.evaluate(() => chrome.alarms.getAll())).map((alarm) => alarm.name),
    notifications: async () => Object.keys(await control.evaluate(() => chrome.notifications.getAll())),
    worker,
    send,
    openPage,
    tabId: async (url) => {
      const id = await control.evaluate(
        async (wanted) => (await chrome.tabs.query({})).find((tab) => tab.url === wanted)?.id,
        url,
      );
      if (id === undefined) throw new Error(`no tab shows ${url}`);
      return id;
    },
    closeTab: async (tabId) => control.evaluate((id) => chrome.tabs.remove(id), tabId),
    captures,
    readFile: async (captureId, file) => {
      const pieces = await control.evaluate(countPieces, captureId, file);
      const parts: Buffer[] = [];
      for (let index = 0; index < pieces; index += 1) {
        parts.push(Buffer.from(await control.evaluate(readPiece, captureId, file, index), 'base64'));
      }
      return Buffer.concat(parts);
    },
    waitForCapture: async (wanted, ms = 60_000) => {
      const deadline = Date.now() + ms;
      for (;;) {
        // Listens before it looks; when the browser is closed meanwhile nobody needs the news.
        const changed = control.evaluate(nextChange, 1_000).catch(() => undefined);
        const found = (await captures()).find(wanted);
        if (found) return found;
        if (Date.now() > deadline)
          throw new Error(`no capture is as wanted: ${JSON.stringify(await describeAll(captures))}`);
        await changed;
      }
    },
    pair: async ({ port, pairingCode }) => {
      await send('setCompanionAddress', { address: `127.0.0.1:${port}` });
      const paired = await send('pair', { code: pairingCode });
      if (!paired.ok) throw new Error(paired.sentence);
    },
    close: async () => {
      await browser.close();
      if (ownProfile) fs.rmSync(userDataDir, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function describeAll(captures: () => Promise<CaptureRecord[]>): Promise<unknown> {
  return (await captures()).map(({ thumbnail: _, ...record }) => record);
}

/** These two run inside the service worker. */
async function chooseMenuItem(info: object, url: string): Promise<void> {
  chrome.contextMenus.onClicked.dispatch(
    info,
    (await chrome.tabs.query({})).find((tab) => tab.url === url),
  );
}

async function pressKeepPage(url: string): Promise<void> {
  chrome.commands.onCommand.dispatch(
    'keep-page',
    (await chrome.tabs.query({})).find((tab) => tab.url === url),
  );
}

/** These run inside a page of the extension. */
function readRecords(): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const open = indexedDB.open('holdfast-outbox');
    open.onerror = () => reject(open.error);
    open.onsuccess = () => {
      if (!open.result.objectStoreNames.contains('captures')) return resolve([]);
      const all = open.result.transaction('captures').objectStore('captures').getAll();
      all.onsuccess = () => {
        open.result.close();
        resolve(all.result);
      };
      all.onerror = () => reject(all.error);
    };
  });
}

function countPieces(captureId: string, file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const open = indexedDB.open('holdfast-outbox');
    open.onsuccess = () => {
      const range = IDBKeyRange.bound([captureId, file], [captureId, file, []]);
      const count = open.result.transaction('pieces').objectStore('pieces').count(range);
      count.onsuccess = () => {
        open.result.close();
        resolve(count.result);
      };
      count.onerror = () => reject(count.error);
    };
  });
}

function readPiece(captureId: string, file: string, index: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const open = indexedDB.open('holdfast-outbox');
    open.onsuccess = () => {
      const get = open.result.transaction('pieces').objectStore('pieces').get([captureId, file, index]);
      get.onsuccess = () => {
        open.result.close();
        const reader = new FileReader();
        reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
        reader.readAsDataURL(new Blob([get.result as Uint8Array<ArrayBuffer>]));
      };
      get.onerror = () => reject(get.error);
    };
  });
}

/** Resolves at the next change of state, or after `ms` in case it came before anybody listened. */
function nextChange(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const channel = new BroadcastChannel('holdfast-state');
    const timer = setTimeout(finish, ms);
    channel.addEventListener('message', finish);
    function finish(): void {
      clearTimeout(timer);
      channel.close();
      resolve();
    }
  });
}
