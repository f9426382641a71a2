import { browser } from './browser.ts';
import { DeadlinePassed, withDeadline } from './deadline.ts';

/** What is said of such a page. */
export const PAGE_SILENT = 'The page does not answer: its own script runs without end, or a dialog is open.';

/** The page cannot be scripted: the browser's own pages, its store, other extensions, tabs without permission. */
export class NotScriptable extends Error {}

/** The page took our script and never came back to us: its own script runs without end, or a dialog holds it. */
export class PageSilent extends Error {}

/** Longer than any of our scripts runs on a page that is merely busy. */
const SCRIPT_MS_MAX = 45_000;

export interface FrameAnswer<Result> {
  frameId: number;
  result: Result;
}

/**
 * Puts one of our files into the given frames of a tab (the top frame when none are named).
 * @throws NotScriptable when the browser refuses
 */
export async function injectFile(tabId: number, file: string, frameIds?: number[]): Promise<void> {
  await execute({ target: { tabId, frameIds }, files: [file], injectImmediately: true });
}

/**
 * Runs a function in the top frame of a tab, in our isolated world, and returns its (awaited) result as JSON. The
 * function is sent as text: it may use only its arguments and globals.
 * @throws NotScriptable, or Error with the function's own message
 */
export async function runInPage<Args extends unknown[], Result>(
  tabId: number,
  func: (...args: Args) => Result | Promise<Result>,
  args: Args,
): Promise<Result> {
  const [top] = await execute({
    target: { tabId },
    func: func as unknown as (...args: unknown[]) => void,
    args,
    injectImmediately: true,
  });
  if (!top) throw new NotScriptable('the browser gave no answer from this page');
  if (top.error) throw new Error(errorText(top.error));
  return top.result as Result;
}

/** The same in every frame that can be scripted: the browser leaves the others out, and so are failing ones. */
export async function runInFrames<Result>(tabId: number, func: () => Result): Promise<FrameAnswer<Result>[]> {
  const frames = await execute({ target: { tabId, allFrames: true }, func, injectImmediately: true });
  return frames
    .filter((frame) => !frame.error)
    .map((frame) => ({ frameId: frame.frameId, result: frame.result as Result }));
}

async function execute(injection: Parameters<typeof browser.scripting.executeScript>[0]) {
  try {
    return await withDeadline(browser.scripting.executeScript(injection), SCRIPT_MS_MAX, PAGE_SILENT);
  } catch (error) {
    if (error instanceof DeadlinePassed) throw new PageSilent(error.message);
    const text = errorText(error);
    // A failing function rejects with its own message in Firefox; these are the browsers' words for "not allowed".
    if (/cannot access|cannot be scripted|missing host permission|chrome:\/\/|gallery|error page/i.test(text)) {
      throw new NotScriptable(text);
    }
    throw new Error(text);
  }
}

function errorText(error: unknown): string {
  if (error instanceof Error) return error.message;
  const message = (error as { message?: unknown } | null)?.message;
  return typeof message === 'string' ? message : String(error);
}
