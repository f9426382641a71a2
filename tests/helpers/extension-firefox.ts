import path from 'node:path';
import puppeteer from 'puppeteer-core';
import type { Browser, Page } from 'puppeteer-core';
import type { MessageName, ReplyOf, RequestOf } from '../../extension/messaging/messages.ts';

/** What the functions that run inside a page of the extension use. */
declare const browser: {
  runtime: { sendMessage(message: unknown): Promise<unknown> };
  tabs: { query(query: object): Promise<{ id?: number; url?: string }[]> };
};

const geckoId = 'holdfast@holdfast.localhost';
/** Firefox draws one by lot for each profile; a preference makes the extension's address known. */
const uuid = '6f2c1d5e-0f9a-4b7e-9b41-7d2a3c4e5f60';

export interface FirefoxWithExtension {
  browser: Browser;
  send: <Name extends MessageName>(name: Name, request: RequestOf<Name>) => Promise<ReplyOf<Name>>;
  tabId: (url: string) => Promise<number>;
  close: () => Promise<void>;
}

/** Firefox with the built extension. It is driven by messages: its toolbar button cannot be clicked from outside. */
export async function launchFirefoxWithExtension(): Promise<FirefoxWithExtension> {
  const folder = path.resolve(process.env.HOLDFAST_OUT ?? 'dist', 'extension', 'firefox-mv3-test');
  const launched = await puppeteer.launch({
    browser: 'firefox',
    executablePath: process.env.HOLDFAST_FIREFOX ?? '/usr/bin/firefox-esr',
    headless: true,
    args: ['--remote-allow-system-access', '--width=1000', '--height=800'],
    defaultViewport: null,
    extraPrefsFirefox: {
      'xpinstall.signatures.required': false,
      'extensions.webextensions.uuids': JSON.stringify({ [geckoId]: uuid }),
    },
  });
  await launched.installExtension(folder);
  const control = await launched.newPage();
  // Firefox never reports these pages as loaded; what stands in them is waited for instead.
  await control.goto(`moz-extension://${uuid}/outbox.html`, { waitUntil: [] });
  await control.waitForFunction(() => typeof browser !== 'undefined');
  return {
    browser: launched,
    send: (name, request) => send(control, name, request),
    tabId: async (url) => {
      const tabs = await control.evaluate(async () => browser.tabs.query({}));
      const id = tabs.find((tab) => tab.url === url)?.id;
      if (id === undefined) throw new Error(`no tab shows ${url}`);
      return id;
    },
    close: () => launched.close(),
  };
}

async function send<Name extends MessageName>(
  page: Page,
  name: Name,
  request: RequestOf<Name>,
): Promise<ReplyOf<Name>> {
  const answer = await page.evaluate(
    async (envelope) => (await browser.runtime.sendMessage(envelope)) as { reply?: unknown; refused?: string },
    { holdfast: name as string, request: request as unknown },
  );
  if (answer.refused !== undefined) throw new Error(answer.refused);
  return answer.reply as ReplyOf<Name>;
}
