import { countPhrase } from '../../../../shared/words/amounts.ts';
import { deletionNotice, dismissDeletionNotice, undoDeletion, undoMs } from './deletions.ts';

/** Offers the way back while there is one. */
export function DeletionToast() {
  const notice = deletionNotice.value;
  return (
    <div class="toast-place" role="status" aria-live="polite">
      {notice?.kind === 'pending' ? (
        <div class="toast">
          <span>
            {countPhrase(notice.count, 'page')} will be deleted in {undoMs / 1000} seconds.
          </span>
          <button type="button" class="button" onClick={undoDeletion}>
            Undo
          </button>
        </div>
      ) : null}
      {notice?.kind === 'failed' ? (
        <div class="toast">
          <span>{notice.sentence}</span>
          <button type="button" class="button" onClick={dismissDeletionNotice}>
            Understood
          </button>
        </div>
      ) : null}
    </div>
  );
}
