import { openStage } from '../../capture/page-stage.ts';
import type { PageDescription } from '../../capture/page/describe-page.ts';
import { showsFile } from '../../capture/shown-file.ts';
import type { WitnessKind } from '../../../shared/model/states.ts';
import type { CaptureRecord } from '../../outbox/capture-record.ts';
import { browser } from '../../platform/browser.ts';
import { knowsMhtml } from '../../platform/features.ts';
import { NotScriptable } from '../../platform/scripting.ts';
import { isCompanionPage } from '../../settings/companion-address.ts';

/** Stands for the key of a document that cannot be asked for one. */
export const UNSCRIPTABLE = 'unscriptable ';
const OWN_PAGE = 'This page is part of Holdfast itself, which it does not keep.';
const NO_PLACE = 'This page has no address of its own, so it cannot be kept.';
/** Of its own pages and of `view-source:` the browser names neither address nor title, even after a click. */
const NOT_TOLD = 'This page belongs to the browser, which does not tell its address, so it cannot be kept.';

/** Why nothing of a page is kept, on purpose, as a sentence; undefined for all others. */
export function whyNotKept(url: string, companionAddress: string): string | undefined {
  if (isCompanionPage(url, companionAddress) || url.startsWith(browser.runtime.getURL('/'))) return OWN_PAGE;
  if (url === '') return NOT_TOLD;
  return /^(about|data|blob|javascript):/.test(url) ? NO_PLACE : undefined;
}

/** Whether no script was allowed where this capture was taken. */
export function isUnscriptable(record: CaptureRecord): boolean {
  return record.documentKey.startsWith(UNSCRIPTABLE);
}

/** Null where no script may run. */
export async function openPage(tabId: number): Promise<PageDescription | null> {
  try {
    return await openStage(tabId);
  } catch (error) {
    if (error instanceof NotScriptable) return null;
    throw error;
  }
}

export function plannedWitnesses(page: Pick<PageDescription, 'contentType'> | null): WitnessKind[] {
  // Where no script may run, copies of the page are out of reach for good: only what can be seen is planned.
  if (!page) return ['facts', 'screenshot'];
  if (showsFile(page.contentType)) return ['facts', 'file', 'screenshot'];
  return knowsMhtml() ? ['facts', 'dom', 'mhtml', 'screenshot'] : ['facts', 'dom', 'screenshot'];
}

export async function closeOwnTab({ tabId, closeTab }: CaptureRecord): Promise<void> {
  if (!closeTab) return;
  await browser.tabs.remove(tabId).catch(() => {
    // The person closed it first.
  });
}

export function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
