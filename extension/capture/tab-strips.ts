import { runInPage } from '../platform/scripting.ts';
import type { findCaptureTab } from '../platform/features.ts';
import type { OpenFile } from './file-sink.ts';
import { PictureFiles } from './picture-files.ts';
import './page/page-api.ts';
import type { StageSight } from './page/shot-stage.ts';
import { INNER_SCROLL } from './picture-subject.ts';
import type { PictureOutcome, PictureSubject } from './picture-subject.ts';
import { PageLeft, toBitmap } from './visible-shot.ts';
import type { Shot } from './visible-shot.ts';

type CaptureTab = NonNullable<ReturnType<typeof findCaptureTab>>;

/** Height of one strip in CSS pixels. */
const STRIP_HEIGHT = 4_000;

/** Firefox: what the person sees now, of exactly this tab, wherever it lies. */
export async function photographRect(subject: PictureSubject, capture: CaptureTab): Promise<Shot> {
  const sight = await look(subject);
  const bitmap = await strip(subject, capture, sight, sight.scrollY, sight.viewportHeight);
  return { bitmap, sight };
}

/** Firefox: the whole page in strips, without scrolling it. @throws PageLeft when the document changed */
export async function captureStrips(
  subject: PictureSubject,
  capture: CaptureTab,
  openFile: OpenFile,
): Promise<PictureOutcome> {
  const sight = await look(subject);
  const files = new PictureFiles(openFile);
  let shots = 0;
  let scale = 1;
  for (let y = 0; y < sight.pageHeight; y += STRIP_HEIGHT) {
    const bitmap = await strip(subject, capture, sight, y, Math.min(STRIP_HEIGHT, sight.pageHeight - y));
    scale = bitmap.width / sight.viewportWidth;
    await files.append(bitmap, bitmap.width, 0, bitmap.height);
    bitmap.close();
    shots += 1;
  }
  await files.finish();
  const notes = sight.innerScroll ? [INNER_SCROLL] : [];
  return { scale, rows: files.rows, shots, notes };
}

async function strip(
  subject: PictureSubject,
  capture: CaptureTab,
  sight: StageSight,
  y: number,
  height: number,
): Promise<ImageBitmap> {
  const rect = { x: 0, y, width: sight.viewportWidth, height };
  const data = await capture(subject.tabId, { format: 'png', rect, scale: sight.devicePixelRatio });
  const after = await look(subject);
  if (after.documentKey !== subject.documentKey) throw new PageLeft('the tab went to another page');
  return toBitmap(data);
}

async function look(subject: PictureSubject): Promise<StageSight> {
  const sight = await runInPage(subject.tabId, () => globalThis.holdfastStage!.shots.look(), []);
  if (sight.documentKey !== subject.documentKey) throw new PageLeft('the tab went to another page');
  return sight;
}
