import * as singleFile from 'single-file-core/single-file.js';
import type { SingleFileOptions, SingleFileResponse } from 'single-file-core/single-file.js';
import type { CaptureReport, FetchAnswer, PageFunctions } from './page-functions.ts';

/** Runs in our world of the top frame. */
const world = globalThis as unknown as PageFunctions & { singlefile: unknown };

const waiting = new Map<number, (answer: FetchAnswer) => void>();
let lastId = 0;

world.singlefile = singleFile;
world.holdfastAnswer = (id, answer) => {
  waiting.get(id)?.(answer);
  waiting.delete(id);
};

world.holdfastCapture = async ({ removeFrames, deadlineMs }): Promise<CaptureReport> => {
  const missing = new Set<string>();
  let frames: NonNullable<SingleFileOptions['frames']> = [];
  const options: SingleFileOptions = {
    ...captureOptions(removeFrames),
    // The list is emptied while frames are worked in; at the first report of progress it is whole.
    onprogress: () => {
      if (frames.length === 0) frames = [...(options.frames ?? [])];
    },
  };
  const load = (url: string): Promise<SingleFileResponse> => loadResource(url, missing);
  const late = new Promise<never>((_resolve, reject) =>
    setTimeout(() => reject(new Error(`the copy was not ready after ${deadlineMs / 1000} s`)), deadlineMs),
  );
  const { content } = await Promise.race([singleFile.getPageData(options, { fetch: load, frameFetch: load }), late]);
  return {
    html: content,
    framesAsked: frames.length,
    framesSilent: frames.filter((frame) => frame.content === undefined).map((frame) => frame.url ?? frame.windowId),
    missing: [...missing].filter((url) => !isGuess(url)),
  };
};

/** Each was chosen by comparing replays with live pages: the defaults lose text and halve pictures. */
function captureOptions(removeFrames: boolean): SingleFileOptions {
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

/** Where the page names no icon, the usual place is tried; that none is there is no loss. */
function isGuess(url: string): boolean {
  return url === new URL('/favicon.ico', location.href).href && document.querySelector('link[rel~="icon" i]') === null;
}

/** As the page would load it, from its cache where possible; what the page may not read is loaded by the browser. */
async function loadResource(url: string, missing: Set<string>): Promise<SingleFileResponse> {
  try {
    const response = await fetch(url, { cache: 'force-cache' });
    if (response.ok) return response;
  } catch {
    // Another origin, or a policy of the page: the browser itself may.
  }
  const answer = await new Promise<FetchAnswer>((resolve) => {
    waiting.set(++lastId, resolve);
    world.holdfastFetch(JSON.stringify({ id: lastId, url }));
  });
  if (answer.status === 0 || answer.status >= 400) missing.add(url);
  const bytes = Uint8Array.from(atob(answer.base64), (letter) => letter.charCodeAt(0));
  return new Response(answer.status === 204 || answer.status === 304 ? null : bytes, {
    status: answer.status < 200 ? 599 : answer.status,
    headers: { 'Content-Type': answer.contentType },
  });
}
