import { countPhrase, sizePhrase } from '../../shared/words/amounts.ts';
import type { Outcome } from '../messaging/messages.ts';
import { sendMessage } from '../messaging/send-message.ts';
import type { CaptureView } from '../messaging/view-model.ts';
import { ActionButtons } from './action-buttons.tsx';
import { CaptureDetails } from './capture-details.tsx';
import { hostOf, pageName } from './capture-words.ts';
import type { ButtonAction } from './capture-words.ts';
import { ConnectionNote } from './connection-note.tsx';
import { LineOfTruth } from './line-of-truth.tsx';
import { SmallPicture } from './small-picture.tsx';
import { TimePhrase } from './time-phrase.tsx';
import { useAct } from './use-act.ts';
import { usePageState } from './use-page-state.ts';

interface Props {
  /** Saves the files of a capture that are still in this browser. */
  onExport: (captureId: string) => Promise<Outcome>;
}

/** What is kept in this browser and not yet on disk; each stays until it is sent or the person decides. */
export function OutboxPage({ onExport }: Props) {
  const { state, failure } = usePageState(() => sendMessage('getOutboxState', {}));
  const { outcome, act } = useAct();
  return (
    <main class="column">
      <h1>Kept in this browser</h1>
      {failure === '' ? null : <p class="notice danger">{failure}</p>}
      {state ? (
        <>
          <p role="status" aria-live="polite">
            {state.outbox.count === 0
              ? 'Nothing waits. Everything you kept is on disk.'
              : `${countPhrase(state.outbox.count, 'page')}, ${sizePhrase(state.outbox.bytes)}, safe here until Holdfast has them on disk.`}
          </p>
          <ConnectionNote connection={state.connection} canRetry={state.outbox.count === 0} />
          {state.connection.kind === 'unpaired' && state.outbox.count > 0 ? (
            <p class="notice needs-you">
              {state.connection.sentence} <a href="options.html">Connect to Holdfast</a>
            </p>
          ) : null}
          {state.outbox.count > 0 ? (
            <button type="button" class="button primary" onClick={() => void act(() => sendMessage('retryOutbox', {}))}>
              Send all now
            </button>
          ) : null}
          <p class="answer" role="status" aria-live="polite">
            {outcome?.sentence}
          </p>
          <ul class="lines">
            {state.waiting.map((capture) => (
              <WaitingLine
                key={capture.id}
                capture={capture}
                alreadySaid={state.connection.sentence}
                onAct={(work) => void act(work)}
                onExport={onExport}
              />
            ))}
          </ul>
          <DoneList captures={state.done} />
        </>
      ) : (
        <p>One moment.</p>
      )}
    </main>
  );
}

interface LineProps extends Props {
  capture: CaptureView;
  /** The trouble with the connection, which stands above the list. */
  alreadySaid: string;
  onAct: (work: () => Promise<Outcome>) => void;
}

/** Acts that make sense without the page's tab. */
const lineActions: ReadonlySet<string> = new Set<ButtonAction>(['retry', 'discard', 'send_as_new', 'cancel', 'open']);

function WaitingLine({ capture, alreadySaid, onAct, onExport }: LineProps) {
  const actions = capture.actions.filter((action): action is ButtonAction => lineActions.has(action));
  return (
    <li class="line">
      <SmallPicture picture={capture.thumbnailUrl} url={capture.url} />
      <div class="line-words">
        <strong dir="auto">{pageName(capture)}</strong>
        <p class="soft">
          <bdi>{hostOf(capture.url)}</bdi>, <TimePhrase at={capture.at} />
        </p>
        <LineOfTruth capture={capture} alreadySaid={alreadySaid} />
        <CaptureDetails capture={capture} />
        <div class="button-line">
          <ActionButtons capture={capture} actions={actions} tabId={undefined} onAct={onAct} />
          {capture.bytes > 0 && capture.phase !== 'capturing' ? (
            <button type="button" class="button quiet" onClick={() => onAct(() => onExport(capture.id))}>
              Save files
            </button>
          ) : null}
        </div>
      </div>
    </li>
  );
}

/** What is on disk folds into a count. */
function DoneList({ captures }: { captures: CaptureView[] }) {
  if (captures.length === 0) return null;
  return (
    <details class="done">
      <summary>{countPhrase(captures.length, 'page')} kept on disk from this browser</summary>
      <ul class="lines">
        {captures.map((capture) => (
          <li key={capture.id} class="line">
            <SmallPicture picture={capture.thumbnailUrl} url={capture.url} />
            <div class="line-words">
              <strong dir="auto">{pageName(capture)}</strong>
              <p class="soft">
                <bdi>{hostOf(capture.url)}</bdi>, <TimePhrase at={capture.at} />. {capture.sentence}
              </p>
            </div>
            {capture.actions.includes('open') ? (
              <button
                type="button"
                class="button"
                aria-label={`Open the kept copy of ${pageName(capture)}`}
                onClick={() => void sendMessage('openLibrary', { captureId: capture.id })}
              >
                Open
              </button>
            ) : null}
          </li>
        ))}
      </ul>
    </details>
  );
}
