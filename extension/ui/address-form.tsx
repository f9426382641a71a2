import { useEffect, useState } from 'preact/hooks';
import { sendMessage } from '../messaging/send-message.ts';
import { useAct } from './use-act.ts';

/** Where the companion listens, for those who changed its port. */
export function AddressForm({ address }: { address: string }) {
  const [draft, setDraft] = useState(address);
  const { outcome, act } = useAct();
  useEffect(() => setDraft(address), [address]);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void act(() => sendMessage('setCompanionAddress', { address: draft }));
      }}
    >
      <label for="address">Host and port on this computer</label>
      <div class="field-line">
        <input
          id="address"
          class="field mono"
          autoComplete="off"
          spellcheck={false}
          required
          maxLength={200}
          value={draft}
          onInput={(event) => setDraft(event.currentTarget.value)}
        />
        <button type="submit" class="button">
          Save
        </button>
      </div>
      <p class="answer" role="status" aria-live="polite">
        {outcome?.sentence}
      </p>
    </form>
  );
}
