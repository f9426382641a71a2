import { useEffect } from 'preact/hooks';
import { countPhrase } from '../../shared/words/amounts.ts';
import type { Outcome } from '../messaging/messages.ts';
import { sendMessage, subjectTabId } from '../messaging/send-message.ts';
import type { PopupState } from '../messaging/view-model.ts';
import { primaryAction } from './capture-words.ts';
import { ConnectionNote } from './connection-note.tsx';
import { PageCard } from './page-card.tsx';
import { PermissionNote } from './permission-note.tsx';
import { RecentList } from './recent-list.tsx';
import { useAct } from './use-act.ts';
import { usePageState } from './use-page-state.ts';
import { VersionStrip } from './version-strip.tsx';

/** How many other captures the popup names; the outbox page has all. */
const RECENT_SHOWN = 3;

let tabId: Promise<number | undefined> | undefined;

async function askPopupState(): Promise<PopupState> {
  tabId ??= subjectTabId();
  const id = await tabId;
  return sendMessage('getPopupState', id === undefined ? {} : { tabId: id });
}

/** The popup. It draws what the background knows and hands on what the person asks; nothing lives here. */
export function PopupPage() {
  const { state, failure } = usePageState(askPopupState);
  const { outcome, act } = useAct();
  useEffect(() => void act(keepOnOpening), []);
  if (!state) return <main>{failure === '' ? 'Looking at the page.' : failure}</main>;
  const { connection, current, recent, versions, outbox, permissions } = state;
  const others = recent.filter(
    (capture) => capture.id !== current?.id && !versions.some((version) => version.id === capture.id),
  );
  return (
    <>
      <main>
        <PageCard state={state} />
        {outcome && !outcome.ok && outcome.sentence !== state.tab?.why ? (
          <p class="notice danger" role="alert">
            {outcome.sentence}
          </p>
        ) : null}
        {connection.kind === 'unpaired' && !current ? <p class="notice">{connection.sentence}</p> : null}
        <ConnectionNote connection={connection} canRetry={primaryAction(state) !== 'retry'} />
        {permissions.full ? null : <PermissionNote permissions={permissions} />}
        <VersionStrip versions={versions} />
        <RecentList captures={others.slice(0, RECENT_SHOWN)} />
      </main>
      <footer class="popup-footer">
        <a href="outbox.html" target="_blank">
          {outbox.count === 0 ? 'Nothing waits here' : `${countPhrase(outbox.count, 'page')} waiting here`}
        </a>
        <span class="popup-footer-end">
          <button type="button" class="link-button" onClick={() => void sendMessage('openLibrary', {})}>
            Library
          </button>
          <a href="options.html" target="_blank">
            Settings
          </a>
        </span>
      </footer>
    </>
  );
}

/** Asks to keep the tab's page, once for each opening: this click was the wish. A document already kept is left alone. */
async function keepOnOpening(): Promise<Outcome> {
  tabId ??= subjectTabId();
  const id = await tabId;
  return id === undefined ? { ok: true, sentence: '' } : sendMessage('keepTab', { tabId: id, unlessKept: true });
}
