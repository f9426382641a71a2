import type { FramePlace } from '../frame-count.ts';
import type { DomReport, DomRequest } from './capture-dom-in-page.ts';
import type { PageDescription } from './describe-page.ts';
import type { LazyPassReport } from './lazy-pass.ts';
import type { FileRequest } from './read-file-in-page.ts';
import type { ShotStage } from './shot-stage.ts';

/** What our scripts offer inside a page's isolated world; the page itself cannot see it. */
export interface StageApi {
  describe: () => PageDescription;
  failedImages: () => string[];
  lazyPass: () => Promise<LazyPassReport>;
  shots: ShotStage;
}

declare global {
  // Set by the unlisted scripts capture-stage.js, capture-frames.js and capture-page.js.
  var holdfastStage: StageApi | undefined;
  var holdfastFrame: { prepare: () => void; restore: () => void; place: () => FramePlace } | undefined;
  var holdfastFile: ((request: FileRequest) => Promise<{ slices: number }>) | undefined;
  var holdfastDom: ((request: DomRequest) => Promise<DomReport>) | undefined;
}
