import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startCompanion, type TestCompanion } from './companion.ts';
import { launchWithExtension, type ExtensionBrowser } from './extension-browser.ts';
import { startSite, type TestSite } from './site.ts';

/** What a test of the whole needs: a site to keep, a companion, and a browser with the extension. */
export interface Outfit {
  dataDir: string;
  site: TestSite;
  companion: TestCompanion;
  extension: ExtensionBrowser;
  stop: () => Promise<void>;
}

/** Starts it all for a `beforeAll`; paired unless the test pairs by itself. Half-started parts are stopped. */
export async function startOutfit(
  options: { env?: Record<string, string>; args?: string[]; isPaired?: boolean } = {},
): Promise<Outfit> {
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'holdfast-outfit-'));
  const stops: (() => Promise<void> | void)[] = [
    () => fs.rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const stop = async (): Promise<void> => {
    for (const step of stops.splice(0).reverse()) await step();
  };
  try {
    const site = await startSite();
    stops.push(() => site.stop());
    const companion = await startCompanion({ dataDir, ...options });
    stops.push(() => companion.stop());
    const extension = await launchWithExtension();
    stops.push(() => extension.close());
    if (options.isPaired !== false) await extension.pair(companion);
    return { dataDir, site, companion, extension, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
