import { sendMessage } from '../messaging/send-message.ts';
import type { CaptureView } from '../messaging/view-model.ts';
import { pageName, phaseGlyphs } from './capture-words.ts';
import { TimePhrase } from './time-phrase.tsx';

/** The last captures of any page, one line each. */
export function RecentList({ captures }: { captures: CaptureView[] }) {
  if (captures.length === 0) return null;
  return (
    <section class="strip-section" aria-labelledby="recent">
      <h2 id="recent">Last captures</h2>
      <ul class="recent">
        {captures.map((capture) => (
          <li key={capture.id} class="recent-line" data-phase={capture.phase} title={capture.sentence}>
            <span class="glyph" aria-hidden="true">
              {phaseGlyphs[capture.phase]}
            </span>
            {capture.actions.includes('open') ? (
              <button
                type="button"
                class="recent-name"
                dir="auto"
                onClick={() => void sendMessage('openLibrary', { captureId: capture.id })}
              >
                {pageName(capture)}
              </button>
            ) : (
              <span class="recent-name" dir="auto">
                {pageName(capture)}
              </span>
            )}
            <span class="soft">
              <TimePhrase at={capture.at} />
            </span>
            <span class="visually-hidden">{capture.sentence}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
