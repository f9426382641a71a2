import { countPhrase, sizePhrase } from '../../../../shared/words/amounts.ts';
import { getStatus } from '../api/account.ts';
import { useLoad } from '../api/use-load.ts';

/** The companion in one line: what is kept, what is free, which version. */
export function StatusFooter() {
  const { value: status } = useLoad('status', getStatus);
  const facts = [
    status?.sentence,
    status?.snapshots === undefined ? undefined : countPhrase(status.snapshots, 'page'),
    status?.bytes === undefined ? undefined : `${sizePhrase(status.bytes)} on disk`,
    status?.free_bytes === undefined ? undefined : `${sizePhrase(status.free_bytes)} free`,
    status?.version === undefined ? undefined : `Holdfast ${status.version}`,
  ].filter((fact) => fact !== undefined && fact !== '');
  return (
    <footer class="status-footer">
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </footer>
  );
}
