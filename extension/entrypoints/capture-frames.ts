import * as bootstrap from 'single-file-core/single-file-bootstrap.js';
import { defineUnlistedScript } from 'wxt/utils/define-unlisted-script';
import '../capture/page/page-api.ts';
import { answerAdoptedStyles } from '../capture/page/adopted-styles.ts';
import { framePlace } from '../capture/page/frame-place.ts';
import { pinCanvases } from '../capture/page/canvas-pin.ts';

/** In every frame: answers the top frame's questions. Without it frames of other origins stay empty in silence. */
export default defineUnlistedScript(() => {
  const world = globalThis as { singlefile?: unknown };
  world.singlefile ??= bootstrap;
  let undo: (() => void)[] = [];
  const restore = () => {
    for (const step of undo) step();
    undo = [];
  };
  globalThis.holdfastFrame ??= {
    place: framePlace,
    prepare: () => {
      // A background that was stopped in the middle never put back what it changed.
      restore();
      undo.push(answerAdoptedStyles(document), pinCanvases(document));
    },
    restore,
  };
});
