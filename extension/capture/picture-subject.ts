import type { TabWatch } from './tab-watch.ts';

export const INNER_SCROLL = 'The picture shows only the visible part of an area that scrolls by itself.';

/** Of which document a picture is wanted. */
export interface PictureSubject {
  tabId: number;
  documentKey: string;
  url: string;
  watch: TabWatch;
}

export interface PictureOutcome {
  /** Device pixels per CSS pixel. */
  scale: number;
  rows: number;
  shots: number;
  /** What is special about it, one sentence each. */
  notes: string[];
}
