import { useState } from 'preact/hooks';
import { sendMessage } from '../messaging/send-message.ts';
import { useAct } from './use-act.ts';

/** Connects this browser by the short code the companion shows. */
export function PairForm() {
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const { outcome, act } = useAct();
  const submit = async () => {
    setBusy(true);
    if (await act(() => sendMessage('pair', { code: code.trim() }))) setCode('');
    setBusy(false);
  };
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label for="code">Code</label>
      <p id="code-hint" class="soft">
        Holdfast prints it when it starts, and shows one under Browsers in the library. <code>holdfast pair</code> makes
        a new one. It works for ten minutes.
      </p>
      <div class="field-line">
        <input
          id="code"
          class="field mono code-field"
          aria-describedby="code-hint"
          autoComplete="off"
          autoCapitalize="characters"
          spellcheck={false}
          required
          maxLength={40}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
        <button type="submit" class="button primary" disabled={busy}>
          Connect
        </button>
      </div>
      <p class="answer" role="status" aria-live="polite">
        {outcome?.sentence}
      </p>
    </form>
  );
}
