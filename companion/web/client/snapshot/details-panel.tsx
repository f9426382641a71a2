import { parseWebUrl } from '../../../../shared/url/web-url.ts';
import type { ArchiveResultRecord, SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { countPhrase, sizePhrase } from '../../../../shared/words/amounts.ts';
import { addTag, patchSnapshot } from '../api/snapshots.ts';
import { isForOneCopy, navigate } from '../router.ts';
import { deleteWithUndo, undoMs } from '../shell/deletions.ts';
import { TimePhrase } from '../shell/time-phrase.tsx';
import { waitsForBrowser } from '../library/snapshot-view.ts';
import { MissingList } from './missing-list.tsx';
import { splitResults } from './outputs.ts';
import { NoteField } from './note-field.tsx';
import { PermissionField } from './permission-field.tsx';
import { ResultCard } from './result-card.tsx';
import { TagEditor } from './tag-editor.tsx';

interface Props {
  snapshot: SnapshotRecord;
  /** Runs a change, shows its failure, and looks again. */
  onChange: (change: () => Promise<unknown>) => void;
}

const sourceLabels: Record<SnapshotRecord['source'], string> = {
  browser: 'kept from your browser',
  companion: 'fetched by Holdfast',
  import: 'imported',
};

/** Everything known about one kept page, and what can be done with it. */
export function DetailsPanel({ snapshot, onChange }: Props) {
  return (
    <aside class="details" id="details" aria-label="Details" tabIndex={-1}>
      <section>
        <h2>This copy</h2>
        <p>
          <TimePhrase iso={snapshot.bookmarked_at} />, {sourceLabels[snapshot.source]}
          {snapshot.output_size > 0 ? `, ${sizePhrase(snapshot.output_size)}` : ''}.
        </p>
        <PermissionField
          value={snapshot.permissions}
          onSave={(permissions) => onChange(() => patchSnapshot(snapshot.id, { permissions }))}
        />
        <Progress snapshot={snapshot} onChange={onChange} />
        <MissingList results={snapshot.archiveresults} />
      </section>
      <section>
        <h2>Tags</h2>
        <TagEditor
          names={snapshot.tags}
          onAdd={(name) => onChange(() => addTag(snapshot.id, name))}
          onRemove={(name) =>
            onChange(() => patchSnapshot(snapshot.id, { tags: snapshot.tags.filter((tag) => tag !== name) }))
          }
        />
      </section>
      <section>
        <h2>
          <label for="note">Note</label>
        </h2>
        <NoteField text={snapshot.notes} onSave={(notes) => onChange(() => patchSnapshot(snapshot.id, { notes }))} />
      </section>
      <ResultsSection snapshot={snapshot} onChange={onChange} />
      <DeleteSection id={snapshot.id} />
    </aside>
  );
}

/** Leaving this page carries a deletion out, so there must be a page to stay on that offers the way back. */
function DeleteSection({ id }: { id: string }) {
  if (isForOneCopy) return <p class="soft">Turn the scripts off to delete this copy.</p>;
  return (
    <section class="details-end">
      <button
        type="button"
        class="button danger"
        onClick={() => {
          deleteWithUndo([id]);
          navigate('/');
        }}
      >
        Delete this copy
      </button>
      <p class="soft">You can take it back for {undoMs / 1000} seconds.</p>
    </section>
  );
}

/** What was captured and made, the forms of the page first; steps of the work fold into a count. */
function ResultsSection({ snapshot, onChange }: Props) {
  const { main, rest } = splitResults(snapshot.archiveresults);
  // While work is under way every plugin has its turn anyway; what a browser sent no plugin can send again.
  const runAgain = ({ plugin, origin, status }: ArchiveResultRecord) =>
    snapshot.status !== 'sealed' || origin === 'browser' || status === 'started'
      ? undefined
      : () => onChange(() => patchSnapshot(snapshot.id, { retry_plugins: [plugin] }));
  const cards = (list: ArchiveResultRecord[]) => (
    <ul class="results">
      {list.map((result) => (
        <ResultCard key={result.id} result={result} onRunAgain={runAgain(result)} />
      ))}
    </ul>
  );
  return (
    <section>
      <h2>{main.length === 0 ? 'No result yet' : countPhrase(main.length, 'result')}</h2>
      {cards(main)}
      {rest.length > 0 ? (
        <details class="rest">
          <summary>{countPhrase(rest.length, 'other step')}</summary>
          {cards(rest)}
        </details>
      ) : null}
    </section>
  );
}

/** What may be done while a page is on its way. */
function Progress({ snapshot, onChange }: Props) {
  const act = (action: 'fetch' | 'pause' | 'resume' | 'cancel') => () =>
    onChange(() => patchSnapshot(snapshot.id, { action }));
  if (snapshot.status === 'sealed') return null;
  if (waitsForBrowser(snapshot)) {
    const onWeb = parseWebUrl(snapshot.url).ok;
    return (
      <div class="notice needs-you">
        <p>
          The browser has not sent everything. It sends the rest when it runs and this companion is on.{' '}
          {onWeb
            ? 'If it never will, Holdfast can fetch the page itself: signed out, as a stranger sees it.'
            : 'Only the browser can see this page, so Holdfast cannot fetch it itself.'}
        </p>
        {onWeb ? (
          <button type="button" class="button" onClick={act('fetch')}>
            Fetch it yourself
          </button>
        ) : null}
      </div>
    );
  }
  return (
    <p class="button-line">
      {snapshot.status === 'paused' ? (
        <button type="button" class="button" onClick={act('resume')}>
          Go on
        </button>
      ) : (
        <button type="button" class="button" onClick={act('pause')}>
          Pause
        </button>
      )}
      <button type="button" class="button quiet" onClick={act('cancel')}>
        Stop here
      </button>
    </p>
  );
}
