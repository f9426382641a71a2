import { requestFullPermissions } from '../messaging/send-message.ts';
import type { PermissionsView } from '../messaging/view-model.ts';
import { useAct } from './use-act.ts';

/** Explains the optional permissions before the browser asks, and asks from the click. */
export function PermissionSection({ permissions, isNext }: { permissions: PermissionsView; isNext: boolean }) {
  const { outcome, act } = useAct();
  const ask = async () => {
    const granted = await requestFullPermissions();
    return {
      ok: granted,
      sentence: granted ? '' : 'Not allowed. Pages are kept without these parts; you can allow it later.',
    };
  };
  return (
    <section class="section" aria-labelledby="permission-title">
      <h2 id="permission-title">Keep whole pages</h2>
      {permissions.full ? (
        <p>Allowed. Pages are kept with their frames and as a web archive.</p>
      ) : (
        <>
          <p>
            As it is, Holdfast reads a page only when you click, and only the page itself. Three things need one more
            permission, which the browser calls reading data on all sites:
          </p>
          <ul class="bullets">
            <li>frames inside a page that come from another site, such as embedded posts,</li>
            <li>the web archive (MHTML), a second witness of the page,</li>
            <li>"Save link", which opens a link in the background and keeps it.</li>
          </ul>
          <p>Holdfast still reads nothing until you ask it to keep a page, and sends pages only to this computer.</p>
          <button type="button" class={isNext ? 'button primary' : 'button'} onClick={() => void act(ask)}>
            Allow
          </button>
        </>
      )}
      <p class="answer" role="status" aria-live="polite">
        {outcome?.sentence}
      </p>
    </section>
  );
}
