import puppeteer, { type Browser } from 'puppeteer-core';

export type BrowserName = 'chromium' | 'firefox';
export const browserNames: readonly BrowserName[] = ['chromium', 'firefox'];

/** A browser as a person has it: no flag that changes what pages may reach, but for the `args` of the test (Chromium). */
export function launchBrowser(name: BrowserName, args: readonly string[] = []): Promise<Browser> {
  if (name === 'firefox') {
    return puppeteer.launch({
      browser: 'firefox',
      executablePath: process.env.HOLDFAST_FIREFOX ?? '/usr/bin/firefox-esr',
      headless: true,
    });
  }
  return puppeteer.launch({
    executablePath: process.env.HOLDFAST_CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', ...args],
  });
}
