import { limits } from '../../shared/limits.ts';
import { findCaptureTab } from '../platform/features.ts';
import { runInPage } from '../platform/scripting.ts';
import type { OpenFile } from './file-sink.ts';
import { PictureFiles } from './picture-files.ts';
import './page/page-api.ts';
import type { Edges, StageSight } from './page/shot-stage.ts';
import type { PictureOutcome, PictureSubject } from './picture-subject.ts';
import { continueRows, planShots } from './stitch.ts';
import { captureStrips, photographRect } from './tab-strips.ts';
import { takeShot } from './visible-shot.ts';
import type { Shot, ShotRequest } from './visible-shot.ts';

/** The page as the person sees it at this moment, without scrolling. @throws PageLeft, NotInFront */
export async function shootView(subject: PictureSubject): Promise<Shot> {
  const rect = findCaptureTab();
  if (rect) return photographRect(subject, rect);
  return takeShot({ ...subject, look: () => look(subject.tabId), prepare: () => look(subject.tabId) });
}

/**
 * The whole page from top to bottom in one picture (several files when it is very tall). The page is scrolled and
 * always put back. When the person goes away for good, what was taken so far is kept and said.
 * @throws PageLeft when the document changed, NotInFront when nothing at all could be taken
 */
export async function captureScreenshot(
  subject: PictureSubject,
  openFile: OpenFile,
  signal: AbortSignal,
): Promise<PictureOutcome> {
  const rect = findCaptureTab();
  if (rect) return captureStrips(subject, rect, openFile);
  const files = new PictureFiles(openFile);
  try {
    const begun = await runInPage(subject.tabId, () => globalThis.holdfastStage!.shots.begin(), []);
    const outcome = await scrollThrough(subject, begun, files, signal);
    await files.finish();
    return outcome;
  } finally {
    await runInPage(subject.tabId, () => globalThis.holdfastStage?.shots.end(), []).catch(() => {
      // The document is gone: there is nothing to put back.
    });
  }
}

async function scrollThrough(
  subject: PictureSubject,
  begun: StageSight,
  files: PictureFiles,
  signal: AbortSignal,
): Promise<PictureOutcome> {
  const first = await shotAt(subject, 0, { top: true, bottom: begun.pageHeight <= begun.viewportHeight });
  const scale = first.bitmap.width / first.sight.innerWidth;
  const plan = planShots(begun.pageHeight, begun.viewportHeight, scale, limits.screenshotShotsMax);
  const notes: string[] = [];
  if (begun.innerScroll) notes.push('The picture shows only the visible part of an area that scrolls by itself.');
  if (plan.coveredHeight < begun.pageHeight) notes.push(cutNote(plan.coveredHeight, begun.pageHeight));
  await append(files, first, scale);
  let shots = 1;
  for (const stop of plan.stops.slice(1)) {
    const edges: Edges = { top: false, bottom: stop === plan.stops.at(-1) };
    try {
      signal.throwIfAborted();
      await append(files, await shotAt(subject, stop, edges), scale);
    } catch (error) {
      notes.push(`The picture ends after ${Math.round(files.rows / scale)} of ${begun.pageHeight} pixels: ${reason(error)}.`);
      break;
    }
    shots += 1;
  }
  return { scale, rows: files.rows, shots, notes };
}

async function append(files: PictureFiles, shot: Shot, scale: number): Promise<void> {
  const rows = Math.min(shot.bitmap.height, Math.round(shot.sight.viewportHeight * scale));
  const slice = continueRows(files.rows, shot.sight.scrollY, scale, rows);
  if (!slice) throw new Error('the page did not scroll as asked');
  const width = Math.min(shot.bitmap.width, Math.round(shot.sight.viewportWidth * scale));
  await files.append(shot.bitmap, width, slice.from, slice.count);
  shot.bitmap.close();
}

function shotAt(subject: PictureSubject, y: number, edges: Edges): Promise<Shot> {
  const request: ShotRequest = {
    ...subject,
    look: () => look(subject.tabId),
    prepare: () =>
      runInPage(subject.tabId, (to: number, bars: Edges) => globalThis.holdfastStage!.shots.moveTo(to, bars), [y, edges]),
  };
  return takeShot(request);
}

function look(tabId: number): Promise<StageSight> {
  return runInPage(tabId, () => globalThis.holdfastStage!.shots.look(), []);
}

function cutNote(covered: number, height: number): string {
  return `The picture ends after ${covered} of ${height} pixels: the page is too tall.`;
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
