import './page/page-api.ts';
import type { PageDescription } from './page/describe-page.ts';
import type { LazyPassReport } from './page/lazy-pass.ts';
import { injectFile, runInPage } from '../platform/scripting.ts';

/** Longest whole pass over a page, its own limits included. */
export const stageDeadlineMs = 20_000;

/**
 * Puts the small script into the page and returns what the page says about itself.
 * @throws NotScriptable where no script is allowed
 */
export async function openStage(tabId: number): Promise<PageDescription> {
  await injectFile(tabId, '/capture-stage.js');
  return describe(tabId);
}

export function describe(tabId: number): Promise<PageDescription> {
  return runInPage(tabId, () => globalThis.holdfastStage!.describe(), []);
}

export function runLazyPass(tabId: number): Promise<LazyPassReport> {
  return runInPage(tabId, () => globalThis.holdfastStage!.lazyPass(), []);
}

export function listFailedImages(tabId: number): Promise<string[]> {
  return runInPage(tabId, () => globalThis.holdfastStage!.failedImages(), []);
}
