import { limits } from '../../shared/limits.ts';
import { withDeadline } from '../platform/deadline.ts';
import { findFrames } from '../platform/features.ts';
import { injectFile, runInFrames, runInPage } from '../platform/scripting.ts';
import type { OpenFile } from './file-sink.ts';
import { countFrames } from './frame-count.ts';
import './page/page-api.ts';
import type { DomReport, DomRequest } from './page/capture-dom-in-page.ts';
import type { SliceJobs } from './slice-jobs.ts';

/** A frame that is still loading can hold the injection of scripts for ever. */
const INJECTION_MS = 4_000;
/** The second try, without frames, on a page that was slow at the first. */
const RETRY_MS = 20_000;

export interface PageSubject {
  tabId: number;
  documentKey: string;
}

export interface DomOutcome {
  report: DomReport;
  /** Frames the browser knows of, those that gave their content, and the addresses of those that did not. */
  frames: { seen: number; answered: number; missing: string[] };
  /** Why the frames were left out altogether; empty when they were not. */
  partial: string;
}

/**
 * Takes the page as one self-contained HTML file: scripts into all frames, then the big one into the top frame. After
 * a deadline it tries once more without frames and says so.
 * @throws Error with the reason when that fails too
 */
export async function captureDom(page: PageSubject, jobs: SliceJobs, openFile: OpenFile): Promise<DomOutcome> {
  const { tabId } = page;
  const frames = await prepareFrames(tabId);
  await injectMain(tabId);
  try {
    const { report } = await attempt(page, jobs, openFile, false);
    return { report, frames: withSilent(frames, report.framesSilent), partial: '' };
  } catch (error) {
    const partial = `Frames were left out: ${error instanceof Error ? error.message : String(error)}`;
    return { ...(await attempt(page, jobs, openFile, true)), frames, partial };
  } finally {
    await runInFrames(tabId, () => globalThis.holdfastFrame?.restore()).catch(() => {
      // The document is gone, and with it everything that was to be put back.
    });
  }
}

/** A frame may take our script and still not hear the question: a page can keep messages from it. */
function withSilent(frames: DomOutcome['frames'], silent: string[]): DomOutcome['frames'] {
  const { seen, answered, missing } = frames;
  if (silent.length <= missing.length) return frames;
  return { seen, answered: Math.min(answered, seen - silent.length), missing: silent };
}

async function attempt(
  page: PageSubject,
  jobs: SliceJobs,
  openFile: OpenFile,
  removeFrames: boolean,
): Promise<{ report: DomReport }> {
  const { tabId, documentKey } = page;
  const sink = await openFile('singlefile.html', 'text/html');
  const job = jobs.open(tabId, sink);
  const deadlineMs = removeFrames ? RETRY_MS : limits.captureDeadlineMs;
  const request: DomRequest = { job, documentKey, removeFrames, deadlineMs };
  try {
    const report = await runInPage(tabId, (asked: DomRequest) => globalThis.holdfastDom!(asked), [request]);
    if (!report) throw new Error('The page went away while it was being kept.');
    if (jobs.slices(job) !== report.slices) throw new Error('A part of the page was lost on its way.');
    await sink.close();
    return { report };
  } catch (error) {
    await sink.abandon();
    throw error;
  } finally {
    jobs.close(job);
  }
}

/** Scripts into the frames that do not have them yet; a second injection would answer every question twice. */
async function prepareFrames(tabId: number): Promise<DomOutcome['frames']> {
  const present = await runInFrames(tabId, () => globalThis.holdfastFrame !== undefined);
  const bare = present.filter((frame) => !frame.result).map((frame) => frame.frameId);
  if (bare.length > 0) {
    await withDeadline(
      injectFile(tabId, '/capture-frames.js', bare),
      INJECTION_MS,
      'A frame took no script in time.',
    ).catch(async () => injectOneByOne(tabId, bare));
  }
  const ready = await runInFrames(tabId, () => {
    globalThis.holdfastFrame?.prepare();
    return globalThis.holdfastFrame?.place() ?? null;
  });
  const answered = new Set(ready.filter((frame) => frame.result).map((frame) => frame.frameId));
  const expected = countFrames(ready.flatMap((frame) => frame.result ?? []));
  const seen = (await findFrames(tabId)) ?? present.map((frame) => ({ frameId: frame.frameId, url: '' }));
  const missing = seen.filter((frame) => !answered.has(frame.frameId)).map((frame) => frame.url);
  return { seen: Math.max(seen.length, expected), answered: answered.size, missing };
}

/** One stubborn frame must not cost the others: those that do not answer are counted as missing afterwards. */
async function injectOneByOne(tabId: number, frameIds: number[]): Promise<void> {
  await Promise.allSettled(
    frameIds.map((frameId) =>
      withDeadline(injectFile(tabId, '/capture-frames.js', [frameId]), INJECTION_MS, 'The frame took no script.'),
    ),
  );
}

async function injectMain(tabId: number): Promise<void> {
  const present = await runInPage(tabId, () => globalThis.holdfastDom !== undefined, []);
  if (!present) await injectFile(tabId, '/capture-page.js');
}
