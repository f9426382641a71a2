import { countPhrase } from '../../../../shared/words/amounts.ts';
import { getStatus } from '../api/account.ts';
import { useLoad } from '../api/use-load.ts';

/** The companion in one line: how much is kept, where, by which version; and what endangers it. */
export function StatusFooter() {
  const { value: status } = useLoad('status', getStatus);
  return (
    <footer class="status-footer">
      {status ? (
        <>
          {status.damaged_files > 0 ? (
            <strong class="status-reminder">
              {countPhrase(status.damaged_files, 'kept file')} damaged on disk; “holdfast verify” names them.
            </strong>
          ) : null}
          {status.backup_reminder === null ? null : <strong class="status-reminder">{status.backup_reminder}</strong>}
          <span>{countPhrase(status.snapshots, 'page')} kept</span>
          <span class="status-folder">
            in <bdi>{status.data_folder}</bdi>
          </span>
          <span>Holdfast {status.version}</span>
        </>
      ) : null}
    </footer>
  );
}
