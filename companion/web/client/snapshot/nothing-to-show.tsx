import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import type { RequestFailed } from '../api/request.ts';
import { pluginLabel, resultSentence } from './outputs.ts';

interface Props {
  snapshot: SnapshotRecord;
  /** Why the forms of the page could not be asked for. */
  failure: RequestFailed | undefined;
  /** False while the question is under way. */
  asked: boolean;
}

/** In place of the page: what is still to come, or what was tried and why it did not come. */
export function NothingToShow({ snapshot, failure, asked }: Props) {
  if (failure) return <p class="reading-note">{failure.message}</p>;
  if (!asked) return null;
  if (snapshot.status !== 'sealed') {
    return (
      <div class="reading-note">
        <h2>{snapshot.state_sentence}</h2>
        <p>The page appears here as soon as there is something to show. Details tell each step.</p>
      </div>
    );
  }
  const failed = snapshot.archiveresults.filter((result) => result.status === 'failed');
  return (
    <div class="reading-note">
      <h2>There is no copy of this page to show</h2>
      {failed.length === 0 ? <p>Nothing that was kept can be shown in a browser. Details list every file.</p> : null}
      <ul class="failures">
        {failed.map((result) => (
          <li key={result.id}>
            <strong>{pluginLabel(result.plugin)}</strong>
            {resultSentence(result)}
          </li>
        ))}
      </ul>
      <p>
        <a href={snapshot.url} target="_blank" rel="noopener noreferrer">
          Open the live page
        </a>{' '}
        to keep it again.
      </p>
    </div>
  );
}
