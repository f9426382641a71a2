import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import '../capture/page/page-api.ts';
import { describePage, failedImages } from '../capture/page/describe-page.ts';
import { lazyPass } from '../capture/page/lazy-pass.ts';
import { ShotStage } from '../capture/page/shot-stage.ts';

/** Small and injected first: facts, scrolling, pictures. */
export default defineUnlistedScript(() => {
  globalThis.holdfastStage ??= { describe: describePage, failedImages, lazyPass, shots: new ShotStage() };
});
