import { newId } from '../../../shared/model/ids.ts';

/** What the page says about itself at one moment. CSS pixels throughout. */
export interface PageDescription {
  /** Names this document: another one in the same tab, also of the same address, has another key. */
  documentKey: string;
  url: string;
  title: string;
  lang: string;
  contentType: string;
  charset: string;
  referrer: string;
  readyState: string;
  viewport: { width: number; height: number };
  page: { width: number; height: number };
  scroll: { x: number; y: number };
  devicePixelRatio: number;
  userAgent: string;
  visible: boolean;
  /** Addresses of frames in this document and its open parts, as their elements say. */
  frames: string[];
}

interface KeyHolder {
  holdfastDocumentKey?: string;
}

/**
 * The key lives in our isolated world and dies with the document. Pages of plain http are no secure contexts and make
 * no UUIDs of their own.
 */
export function documentKey(): string {
  const holder = globalThis as KeyHolder;
  holder.holdfastDocumentKey ??= newId();
  return holder.holdfastDocumentKey;
}

export function describePage(): PageDescription {
  const root = document.documentElement;
  return {
    documentKey: documentKey(),
    url: location.href,
    title: document.title,
    lang: root.lang,
    contentType: document.contentType,
    charset: document.characterSet,
    referrer: document.referrer,
    readyState: document.readyState,
    viewport: { width: root.clientWidth || innerWidth, height: innerHeight },
    page: { width: Math.max(root.scrollWidth, innerWidth), height: Math.max(root.scrollHeight, innerHeight) },
    scroll: { x: scrollX, y: scrollY },
    devicePixelRatio,
    userAgent: navigator.userAgent,
    visible: document.visibilityState === 'visible',
    frames: [...document.querySelectorAll('iframe, frame')].map(
      (frame) => (frame as HTMLIFrameElement).src || 'about:srcdoc',
    ),
  };
}

/** Addresses of pictures that the page wanted and did not get. */
export function failedImages(): string[] {
  return [...document.images]
    .filter(
      (image) =>
        image.complete && image.naturalWidth === 0 && image.currentSrc !== '' && !/\.svg(\?|$)/.test(image.currentSrc),
    )
    .map((image) => image.currentSrc);
}
