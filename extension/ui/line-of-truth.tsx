import type { CaptureView } from '../messaging/view-model.ts';
import { phaseGlyphs, progressOf, truthPhrase } from './capture-words.ts';

/** Where the page is now, in one sentence; a bar only where a total is known. Said aloud when it changes. */
export function LineOfTruth({ capture, alreadySaid }: { capture: CaptureView; alreadySaid: string }) {
  const progress = progressOf(capture);
  return (
    <div class="truth" data-phase={capture.phase}>
      <p role="status" aria-live="polite">
        <span class="glyph" aria-hidden="true">
          {phaseGlyphs[capture.phase]}
        </span>
        <span>{truthPhrase(capture, alreadySaid)}</span>
      </p>
      {progress ? <progress max={progress.total} value={progress.done} aria-label={progress.text} /> : null}
    </div>
  );
}
