import type { CaptureView } from '../messaging/view-model.ts';
import { countPhrase } from '../../shared/words/amounts.ts';
import { witnessPhrase } from './capture-words.ts';

/** Behind a disclosure: what is missing, and where each capture of the page is. */
export function CaptureDetails({ capture }: { capture: CaptureView }) {
  const missing = capture.missing.length;
  if (missing === 0 && capture.witnesses.length === 0) return null;
  return (
    <details class="capture-details" data-missing={missing > 0}>
      <summary>{missing > 0 ? `${countPhrase(missing, 'thing')} could not be kept` : 'What was kept'}</summary>
      {missing > 0 ? (
        <ul class="missing-list">
          {capture.missing.map((sentence) => (
            <li key={sentence} dir="auto">
              {sentence}
            </li>
          ))}
        </ul>
      ) : null}
      <dl class="witnesses">
        {capture.witnesses.map((witness) => (
          <div key={witness.kind}>
            <dt>{witness.label}</dt>
            <dd>{witnessPhrase(witness)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
