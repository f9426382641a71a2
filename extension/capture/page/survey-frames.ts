import { helper } from 'single-file-core/single-file.js';
import type { FrameAnswer } from 'single-file-core/single-file.js';
import { deepElements } from './deep-elements.ts';

export interface FrameSurvey {
  asked: number;
  /** Addresses of frames that gave no content, as the elements that hold them say. */
  silent: string[];
}

/** Which frames answered single-file-core. Must be called before it works them in: then it takes its marks away. */
export function surveyFrames(frames: FrameAnswer[]): FrameSurvey {
  const silent = frames.filter((frame) => frame.content === undefined);
  return { asked: frames.length, silent: silent.map(({ windowId }) => addressOf(windowId, frames)) };
}

/** A frame that says nothing has no address either, but the element that holds it is marked with its number. */
function addressOf(windowId: string, frames: FrameAnswer[]): string {
  const isHolder = (element: Element) => element.getAttribute(helper.WIN_ID_ATTRIBUTE_NAME) === windowId;
  const parentId = windowId.slice(0, windowId.lastIndexOf('.'));
  const parent = frames.find((frame) => frame.windowId === parentId);
  const base = parent?.baseURI ?? document.baseURI;
  const holding = parent ? new DOMParser().parseFromString(parent.content ?? '', 'text/html') : document;
  const source = [...deepElements(holding)].find(isHolder)?.getAttribute('src') ?? '';
  return URL.canParse(source, base) ? new URL(source, base).href : `frame ${windowId}`;
}
