import { browser } from '../platform/browser.ts';
import { withDeadline } from '../platform/deadline.ts';
import { decodeBase64 } from '../platform/base64.ts';
import type { StageSight } from './page/shot-stage.ts';
import type { TabWatch } from './tab-watch.ts';

/** A page that hangs is never painted again. */
const SHOT_MS_MAX = 15_000;

/** The browser allows two shots a second. */
const SPACING_MS = 550;
const TRIES = 5;
/** The page is no longer the one the picture was begun with. */
export class PageLeft extends Error {}
/** Another tab lies in front. */
class NotInFront extends Error {}

let lastShotAt = 0;

/** Takes a shot of what `look` sees; `look` is asked before and after and must describe the same sight. */
export interface ShotRequest {
  tabId: number;
  watch: TabWatch;
  /** How long to wait for a person who went to another tab, milliseconds. */
  frontMs: number;
  documentKey: string;
  url: string;
  look: () => Promise<StageSight>;
  prepare: () => Promise<StageSight>;
}

export interface Shot {
  bitmap: ImageBitmap;
  sight: StageSight;
}

/**
 * A picture of a window shows whatever tab lies in front. A shot counts only when this tab was in front, visible, in
 * the same document and at the same place both before and after, and nothing changed in between; otherwise it is
 * thrown away unseen and tried again.
 * @throws PageLeft when the document changed, NotInFront when the tab stays behind
 */
export async function takeShot(request: ShotRequest): Promise<Shot> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (!(await request.watch.comesToFront(request.frontMs))) break;
    const changes = request.watch.changes;
    const before = await request.prepare();
    requireSame(before, request);
    await spacing();
    const windowId = await request.watch.frontWindow();
    if (windowId === undefined || !before.visible) continue;
    const data = await shoot(windowId);
    const after = await request.look();
    const stillFront = (await request.watch.frontWindow()) === windowId;
    requireSame(after, request);
    if (!data || !stillFront || request.watch.changes !== changes || !sameSight(before, after)) continue;
    return { bitmap: await toBitmap(data), sight: after };
  }
  throw new NotInFront('the page was not in front long enough');
}

/** The picture of a window that cannot be asked anything, with the checks that are left. */
export async function takeBlindShot(tabId: number, watch: TabWatch): Promise<ImageBitmap> {
  const before = await browser.tabs.get(tabId);
  const changes = watch.changes;
  await spacing();
  if (!before.active || before.windowId === undefined) throw new NotInFront('the page was not in front');
  const data = await shoot(before.windowId);
  const after = await browser.tabs.get(tabId);
  const same = after.active && after.windowId === before.windowId && after.url === before.url;
  if (!data || !same || watch.changes !== changes) throw new NotInFront('the page did not stay in front');
  return toBitmap(data);
}

export async function toBitmap(dataUrl: string): Promise<ImageBitmap> {
  const bytes = decodeBase64(dataUrl.slice(dataUrl.indexOf(',') + 1));
  return createImageBitmap(new Blob([bytes], { type: 'image/png' }));
}

/** Undefined when the browser says "too often": the caller tries again. */
async function shoot(windowId: number): Promise<string | undefined> {
  try {
    const shot = browser.tabs.captureVisibleTab(windowId, { format: 'png' });
    return await withDeadline(shot, SHOT_MS_MAX, 'The browser made no picture of this page in time.');
  } catch (error) {
    if (error instanceof Error && error.message.includes('MAX_CAPTURE_VISIBLE_TAB_CALLS_PER_SECOND')) return undefined;
    if (error instanceof Error && /cannot access|permission/i.test(error.message)) {
      throw new Error('the browser allows no picture of this page', { cause: error });
    }
    throw error;
  } finally {
    lastShotAt = Date.now();
  }
}

async function spacing(): Promise<void> {
  const wait = lastShotAt + SPACING_MS - Date.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
}

function requireSame(sight: StageSight, request: ShotRequest): void {
  if (sight.documentKey !== request.documentKey || withoutHash(sight.url) !== withoutHash(request.url)) {
    throw new PageLeft('the tab went to another page');
  }
}

function sameSight(before: StageSight, after: StageSight): boolean {
  return (
    after.visible &&
    before.timesHidden === after.timesHidden &&
    before.scrollX === after.scrollX &&
    before.scrollY === after.scrollY &&
    before.viewportWidth === after.viewportWidth &&
    before.viewportHeight === after.viewportHeight
  );
}

/** Pages that mark the reader's place change the part behind the # while they scroll. */
function withoutHash(url: string): string {
  return url.split('#', 1)[0] ?? url;
}
