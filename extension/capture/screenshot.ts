import { limits } from '../../shared/limits.ts';
import { findCaptureTab } from '../platform/features.ts';
import { runInPage } from '../platform/scripting.ts';
import type { OpenFile } from './file-sink.ts';
import { PictureFiles } from './picture-files.ts';
import './page/page-api.ts';
import type { Edges, StageSight } from './page/shot-stage.ts';
import { INNER_SCROLL } from './picture-subject.ts';
import type { PictureOutcome, PictureSubject } from './picture-subject.ts';
import { continueRows, nextStop } from './stitch.ts';
import { captureStrips, photographRect } from './tab-strips.ts';
import { takeShot } from './visible-shot.ts';
import type { Shot, ShotRequest } from './visible-shot.ts';

/** How long the tall picture waits for a person who went to another tab. */
const FRONT_MS = 20_000;

/** The page as the person sees it at this moment, without scrolling. @throws PageLeft, NotInFront */
export async function shootView(subject: PictureSubject): Promise<Shot> {
  const rect = findCaptureTab();
  if (rect) return photographRect(subject, rect);
  return takeShot({ ...subject, frontMs: 0, look: () => look(subject.tabId), prepare: () => look(subject.tabId) });
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

/** A page that grows while it is scrolled is followed so far; more is a feed without end. */
const GROWTH_MAX = 1.5;

async function scrollThrough(
  subject: PictureSubject,
  begun: StageSight,
  files: PictureFiles,
  signal: AbortSignal,
): Promise<PictureOutcome> {
  const { viewportHeight } = begun;
  const heightMax = begun.pageHeight * GROWTH_MAX;
  const notes = begun.innerScroll ? [INNER_SCROLL] : [];
  let height = begun.pageHeight;
  let scale = 1;
  let shots = 0;
  for (let stop: number | undefined = 0; stop !== undefined;) {
    try {
      signal.throwIfAborted();
      if (shots === limits.screenshotShotsMax) throw new Error('the page is too tall');
      const edges = { top: shots === 0, bottom: nextStop(stop, height, viewportHeight, scale) === undefined };
      const shot = await shotAt(subject, stop, edges);
      scale = shot.bitmap.width / shot.sight.innerWidth;
      height = Math.min(shot.sight.pageHeight, heightMax);
      await append(files, shot, scale);
    } catch (error) {
      // Without a first shot there is no picture; later ones may be missing.
      if (shots === 0) throw error;
      notes.push(`The picture ends after ${Math.round(files.rows / scale)} of ${height} pixels: ${reason(error)}.`);
      break;
    }
    shots += 1;
    stop = nextStop(stop, height, viewportHeight, scale);
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
    frontMs: FRONT_MS,
    look: () => look(subject.tabId),
    prepare: () =>
      runInPage(subject.tabId, (to: number, bars: Edges) => globalThis.holdfastStage!.shots.moveTo(to, bars), [
        y,
        edges,
      ]),
  };
  return takeShot(request);
}

function look(tabId: number): Promise<StageSight> {
  return runInPage(tabId, () => globalThis.holdfastStage!.shots.look(), []);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
