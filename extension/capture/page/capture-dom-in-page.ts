import { getPageData } from 'single-file-core/single-file.js';
import type { SingleFileFetch, SingleFileOptions } from 'single-file-core/single-file.js';
import { withDeadline } from '../../platform/deadline.ts';
import { documentKey } from './describe-page.ts';
import { surveyFrames } from './survey-frames.ts';
import type { FrameSurvey } from './survey-frames.ts';
import { sendSlices } from './send-slices.ts';
import type { SendSlice } from './send-slices.ts';

export interface DomRequest {
  job: string;
  /** The document that is wanted: a script of ours may meanwhile sit in the next one. */
  documentKey: string;
  removeFrames: boolean;
  deadlineMs: number;
}

export interface DomReport {
  bytes: number;
  slices: number;
  /** Frames single-file-core asked, and the addresses of those that gave no content. */
  framesAsked: number;
  framesSilent: string[];
  /** Resources that neither page nor background could fetch. */
  failedResources: { url: string; reason: string }[];
}

export interface PageDoors {
  sendSlice: SendSlice;
  /** Fetches as the page does, then as the background does. Records what failed. */
  fetch: SingleFileFetch;
}

/**
 * Makes one self-contained HTML file of the page as it stands and hands it out in slices of UTF-8 bytes (slices of
 * text could split a character).
 * @throws DeadlinePassed when the page takes longer than the request allows
 */
export async function captureDomInPage(
  request: DomRequest,
  doors: PageDoors,
  failedResources: DomReport['failedResources'],
): Promise<DomReport> {
  if (request.documentKey !== documentKey()) throw new Error('The tab went to another page.');
  let frames: FrameSurvey = { asked: 0, silent: [] };
  let surveyed = false;
  const options: SingleFileOptions = {
    ...singleFileOptions(request.removeFrames),
    // The list is emptied while frames are worked in; at the first report of progress it is whole.
    onprogress: () => {
      if (!surveyed) frames = surveyFrames(options.frames ?? []);
      surveyed = true;
    },
  };
  const page = await withDeadline(
    getPageData(options, { fetch: doors.fetch, frameFetch: doors.fetch }),
    request.deadlineMs,
    `The page was not ready after ${Math.round(request.deadlineMs / 1000)} seconds.`,
  );
  const bytes = new TextEncoder().encode(page.content);
  const slices = await sendSlices(bytes, doors.sendSlice);
  return { bytes: bytes.length, slices, framesAsked: frames.asked, framesSilent: frames.silent, failedResources };
}

/**
 * Each option was chosen by comparing replays with live pages; the defaults lose text and halve pictures. The plugin
 * `singlefile` holds the same list: a plugin is a stranger that knows nothing of ours, so that one written elsewhere
 * is its equal, and what only these two share is no part of a contract in `shared`.
 */
function singleFileOptions(removeFrames: boolean): SingleFileOptions {
  return {
    removeFrames,
    removeHiddenElements: false,
    removeUnusedStyles: true,
    removeUnusedFonts: true,
    removeAlternativeImages: true,
    compressHTML: true,
    blockScripts: true,
    blockVideos: true,
    blockAudios: true,
    insertMetaCSP: true,
    groupDuplicateImages: true,
    saveFavicon: true,
    loadDeferredImages: false,
    networkTimeout: 10_000,
  };
}
