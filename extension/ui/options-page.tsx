import { useEffect } from 'preact/hooks';
import { countPhrase, sizePhrase } from '../../shared/words/amounts.ts';
import { sendMessage } from '../messaging/send-message.ts';
import type { OptionsState } from '../messaging/view-model.ts';
import { AddressForm } from './address-form.tsx';
import { PairForm } from './pair-form.tsx';
import type { PairingLink } from './pairing-link.ts';
import { PermissionSection } from './permission-section.tsx';
import { useAct } from './use-act.ts';
import { usePageState } from './use-page-state.ts';

/** Settings, and the first page a new user sees: connect, allow, keep. */
export function OptionsPage({ link }: { link: PairingLink | undefined }) {
  const { state, failure } = usePageState(() => sendMessage('getOptionsState', {}));
  const linked = useAct();
  useEffect(() => {
    if (link) void linked.act(() => pairByLink(link));
  }, []);
  return (
    <main class="column">
      <h1>{state?.connection.kind === 'unpaired' ? 'Welcome to Holdfast' : 'Holdfast settings'}</h1>
      {failure === '' ? null : <p class="notice danger">{failure}</p>}
      <div role="status" aria-live="polite">
        {linked.outcome && (linked.outcome.ok || state?.connection.kind !== 'connected') ? (
          <p class={linked.outcome.ok ? 'notice' : 'notice danger'}>{linked.outcome.sentence}</p>
        ) : null}
      </div>
      {state ? <Sections state={state} /> : <p>One moment.</p>}
    </main>
  );
}

async function pairByLink({ code, address }: PairingLink) {
  if (address !== undefined) {
    const moved = await sendMessage('setCompanionAddress', { address });
    if (!moved.ok) return moved;
  }
  return sendMessage('pair', { code });
}

function Sections({ state }: { state: OptionsState }) {
  return (
    <>
      <ConnectionSection state={state} />
      <PermissionSection permissions={state.permissions} isNext={state.connection.kind === 'connected'} />
      <section class="section" aria-labelledby="keep-title">
        <h2 id="keep-title">Keep a page</h2>
        <p>
          Click the Holdfast button in the toolbar
          {state.shortcut === ''
            ? '. No keyboard shortcut is set; the browser sets one on its extensions page.'
            : `, or press ${state.shortcut}.`}
        </p>
        <p>
          {state.outbox.count === 0
            ? 'Nothing waits in this browser.'
            : `${countPhrase(state.outbox.count, 'page')} (${sizePhrase(state.outbox.bytes)}) kept in this browser, waiting for Holdfast.`}{' '}
          <a href="outbox.html">See the list</a>
        </p>
      </section>
      <section class="section" aria-labelledby="address-title">
        <h2 id="address-title">Address of Holdfast</h2>
        <AddressForm address={state.companionAddress} />
      </section>
      <p class="soft">Extension version {state.extensionVersion}</p>
    </>
  );
}

function ConnectionSection({ state: { connection, fingerprint } }: { state: OptionsState }) {
  const { outcome, act } = useAct();
  const paired = fingerprint !== '';
  return (
    <section class="section" aria-labelledby="connect-title">
      <h2 id="connect-title">Connection</h2>
      <p class="truth" role="status" data-phase={connection.kind === 'connected' ? 'kept_on_disk' : 'needs_you'}>
        <span class="glyph" aria-hidden="true">
          {connection.kind === 'connected' ? '✓' : '!'}
        </span>
        <span>{connection.sentence}</span>
      </p>
      {paired ? (
        <p class="soft">
          Fingerprint <span class="mono">{fingerprint}</span>
        </p>
      ) : null}
      {connection.kind === 'unpaired' || connection.kind === 'revoked' || connection.kind === 'stranger' ? (
        <PairForm />
      ) : null}
      {paired ? (
        <div class="button-line">
          <button type="button" class="button" onClick={() => void act(() => sendMessage('checkConnection', {}))}>
            Check now
          </button>
          {connection.libraryUrl === undefined ? null : (
            <button type="button" class="button" onClick={() => void act(() => sendMessage('openLibrary', {}))}>
              Open the library
            </button>
          )}
          <button type="button" class="button danger" onClick={() => void act(() => sendMessage('unpair', {}))}>
            Disconnect
          </button>
        </div>
      ) : null}
      <p class="answer" role="status" aria-live="polite">
        {outcome?.sentence}
      </p>
    </section>
  );
}
