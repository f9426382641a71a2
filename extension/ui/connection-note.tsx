import { sendMessage } from '../messaging/send-message.ts';
import type { ConnectionView } from '../messaging/view-model.ts';
import { useAct } from './use-act.ts';

interface Props {
  connection: ConnectionView;
  /** False where another button of the page already tries again. */
  canRetry: boolean;
}

/** What the note says; nothing when all is well, and before pairing, which is no trouble. */
export function connectionNoteText({ kind, sentence }: ConnectionView): string {
  return kind === 'connected' || kind === 'unpaired' ? '' : sentence;
}

/** What stands between this browser and the companion, and the way out; nothing when all is well. */
export function ConnectionNote({ connection, canRetry }: Props) {
  const { outcome, act } = useAct();
  const text = connectionNoteText(connection);
  if (text === '') return null;
  return (
    <section class="notice needs-you" aria-label="Connection">
      <p role="status" aria-live="polite">
        {text}
      </p>
      <div class="button-line">
        {connection.kind === 'revoked' ? (
          <a class="button" href="options.html" target="_blank">
            Connect again
          </a>
        ) : canRetry ? (
          <button type="button" class="button" onClick={() => void act(() => sendMessage('checkConnection', {}))}>
            Try again
          </button>
        ) : null}
        {connection.kind === 'not_running' ? <HowToStart /> : null}
      </div>
      <p role="status" aria-live="polite" class="answer">
        {outcome?.sentence}
      </p>
    </section>
  );
}

function HowToStart() {
  return (
    <details class="how">
      <summary>How?</summary>
      <p>
        In Holdfast's folder, run <code>npm start</code>. If it is installed as a command, run{' '}
        <code>holdfast serve</code>.
      </p>
    </details>
  );
}
