import { useEffect, useRef } from 'preact/hooks';
import type { CaptureView, PopupState } from '../messaging/view-model.ts';
import { connectionNoteText } from './connection-note.tsx';
import { ActionButtons } from './action-buttons.tsx';
import { CaptureDetails } from './capture-details.tsx';
import { hostOf, otherActions, pageName, primaryAction, primaryLabels } from './capture-words.ts';
import { sendEdit, TagAndNoteFields, TitleField } from './edit-fields.tsx';
import type { CaptureEdit } from './edit-fields.tsx';
import { LineOfTruth } from './line-of-truth.tsx';
import { runPrimary } from './run-action.ts';
import { SmallPicture } from './small-picture.tsx';
import { TimePhrase } from './time-phrase.tsx';
import { useAct } from './use-act.ts';

/** The page in the tab as one card: what it is, where its copy is, what to do next. */
export function PageCard({ state }: { state: PopupState }) {
  const { outcome, act } = useAct();
  const { current, tab } = state;
  const card = useRef<HTMLElement>(null);
  // Reading begins at the page; without this the browser would put the cursor into the title.
  useEffect(() => card.current?.focus(), []);
  const primary = primaryAction(state);
  const onEdit = (edit: CaptureEdit) => {
    if (current) void act(() => sendEdit(current.id, edit));
  };
  return (
    <section class="card" aria-label="This page" tabIndex={-1} ref={card}>
      {current ? (
        <CardHead key={current.id} capture={current} onEdit={onEdit} />
      ) : tab ? (
        <TabHead title={tab.title} url={tab.url} />
      ) : null}
      {current ? <LineOfTruth capture={current} alreadySaid={connectionNoteText(state.connection)} /> : null}
      {tab?.why ? <p class="soft">{tab.why}</p> : null}
      {current ? <CaptureDetails capture={current} /> : null}
      {current?.actions.includes('edit') ? (
        <TagAndNoteFields key={current.id} capture={current} onEdit={onEdit} />
      ) : null}
      <div class="button-line">
        {primary ? (
          <button type="button" class="button primary" onClick={() => void act(() => runPrimary(primary, state))}>
            {primaryLabels[primary]}
          </button>
        ) : null}
        {current ? (
          <ActionButtons
            capture={current}
            actions={otherActions(current, primary)}
            tabId={tab?.id}
            onAct={(work) => void act(work)}
          />
        ) : null}
      </div>
      <p class="answer" role="status" aria-live="polite">
        {outcome && !outcome.ok ? outcome.sentence : ''}
      </p>
    </section>
  );
}

function CardHead({ capture, onEdit }: { capture: CaptureView; onEdit: (edit: CaptureEdit) => void }) {
  return (
    <div class="card-head">
      <SmallPicture picture={capture.thumbnailUrl} url={capture.url} />
      <div>
        {capture.actions.includes('edit') ? (
          <>
            <h1 class="visually-hidden">{pageName(capture)}</h1>
            <TitleField capture={capture} onEdit={onEdit} />
          </>
        ) : (
          <h1 class="card-title" dir="auto">
            {pageName(capture)}
          </h1>
        )}
        <p class="soft card-place">
          <bdi>{hostOf(capture.url)}</bdi>, <TimePhrase at={capture.at} />
        </p>
      </div>
    </div>
  );
}

function TabHead({ title, url }: { title: string; url: string }) {
  return (
    <div class="card-head">
      <SmallPicture picture={undefined} url={url} />
      <div>
        <h1 class="card-title" dir="auto">
          {pageName({ title, url })}
        </h1>
        <p class="soft card-place">
          <bdi>{hostOf(url)}</bdi>
        </p>
      </div>
    </div>
  );
}
