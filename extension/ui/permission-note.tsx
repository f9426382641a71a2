import { requestFullPermissions } from '../messaging/send-message.ts';
import type { PermissionsView } from '../messaging/view-model.ts';
import { useAct } from './use-act.ts';

/** Says what is not kept for want of a permission, and asks for it from the click. */
export function PermissionNote({ permissions }: { permissions: PermissionsView }) {
  const { outcome, act } = useAct();
  const ask = async () => {
    const granted = await requestFullPermissions();
    return {
      ok: granted,
      sentence: granted
        ? 'Allowed. The next page is kept whole.'
        : 'Not allowed. Pages are kept as before, without these parts.',
    };
  };
  return (
    <details class="permission-note">
      <summary>Some parts of pages are not kept</summary>
      <p>{permissions.sentence}</p>
      <button type="button" class="button" onClick={() => void act(ask)}>
        Allow
      </button>
      <p role="status" aria-live="polite" class="soft">
        {outcome?.sentence}
      </p>
    </details>
  );
}
