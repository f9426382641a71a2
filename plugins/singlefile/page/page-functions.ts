/** What the scripts in the page and the hook agree on; each name is a global of our own world in the page. */
export interface PageFunctions {
  /** Tells the world of a frame its shadow roots, closed ones too, which only the browser itself can find. */
  holdfastPrepareFrame: (...roots: ShadowRoot[]) => void;
  /** Takes back what preparing changed in the document. */
  holdfastRestoreFrame: () => void;
  /** Top frame only. */
  holdfastCapture: (options: { removeFrames: boolean; deadlineMs: number }) => Promise<CaptureReport>;
  /** The hook's answer to `holdfastFetch`. */
  holdfastAnswer: (id: number, answer: FetchAnswer) => void;
  /** Asks the hook to load what the page itself may not read. Installed by the browser; takes a JSON text. */
  holdfastFetch: (request: string) => void;
}

export interface FetchAnswer {
  status: number;
  contentType: string;
  base64: string;
}

export interface CaptureReport {
  html: string;
  framesAsked: number;
  /** Addresses of frames that gave no content. */
  framesSilent: string[];
  /** Addresses that could not be loaded. */
  missing: string[];
}
