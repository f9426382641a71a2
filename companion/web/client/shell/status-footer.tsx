import { countPhrase } from '../../../../shared/words/amounts.ts';
import { getStatus } from '../api/account.ts';
import { useLoad } from '../api/use-load.ts';

/** The companion in one line: how much is kept, where, by which version. */
export function StatusFooter() {
  const { value: status } = useLoad('status', getStatus);
  return (
    <footer class="status-footer">
      {status ? (
        <>
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
