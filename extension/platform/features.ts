import { browser } from './browser.ts';

/** APIs that only one browser has, or that appear only after the person granted an optional permission. */
interface PageCaptureApi {
  pageCapture?: { saveAsMHTML(details: { tabId: number }): Promise<Blob | undefined> };
}
interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}
type CaptureTab = (tabId: number, options: { format: 'png'; rect: Rect; scale: number }) => Promise<string>;

/** Whether this browser can ever write MHTML: Firefox has no such API, so the witness is not even planned there. */
export function knowsMhtml(): boolean {
  const manifest = browser.runtime.getManifest() as { permissions?: string[]; optional_permissions?: string[] };
  return [...(manifest.permissions ?? []), ...(manifest.optional_permissions ?? [])].includes('pageCapture');
}

/**
 * The page as MHTML, or undefined while the permission is not granted.
 * @throws Error with the browser's words when it refuses this page
 */
export async function saveAsMhtml(tabId: number): Promise<Blob | undefined> {
  const api = (globalThis as { chrome?: PageCaptureApi }).chrome?.pageCapture;
  if (!api) return undefined;
  const blob = await api.saveAsMHTML({ tabId });
  if (!blob) throw new Error('the browser gave no web archive of this page');
  return blob;
}

/** Firefox: a picture of any part of a page, without scrolling it or looking at it. */
export function findCaptureTab(): CaptureTab | undefined {
  const api = browser.tabs as unknown as { captureTab?: CaptureTab };
  return api.captureTab ? (tabId, options) => api.captureTab!(tabId, options) : undefined;
}

export interface FrameSeen {
  frameId: number;
  url: string;
}

/** All frames of a tab, or undefined while the permission to see them is not granted. */
export async function findFrames(tabId: number): Promise<FrameSeen[] | undefined> {
  if (!browser.webNavigation) return undefined;
  const frames = await browser.webNavigation.getAllFrames({ tabId });
  return (frames ?? [])
    .filter((frame) => !frame.errorOccurred)
    .map((frame) => ({ frameId: frame.frameId, url: frame.url }));
}

/** Shows a notification where that is permitted; everything it says is also in the popup. */
export async function notify(id: string, title: string, message: string): Promise<void> {
  if (!browser.notifications) return;
  await browser.notifications.create(id, {
    type: 'basic',
    iconUrl: browser.runtime.getURL('icon-128.png'),
    title,
    message,
  });
}
