import { useEffect, useState } from 'preact/hooks';
import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { RequestFailed } from '../api/request.ts';
import { getReplay, getSnapshot, listSnapshots, patchSnapshot } from '../api/snapshots.ts';
import type { ReplayOutput } from '../api/snapshots.ts';
import { useLoad } from '../api/use-load.ts';
import { snapshotName } from '../library/snapshot-view.ts';
import { usePageTitle } from '../shell/page-title.ts';
import { useRemembered } from '../shell/remembered.ts';
import { TopBar } from '../shell/top-bar.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { NothingToShow } from './nothing-to-show.tsx';
import { outputKey, shownOutput } from './outputs.ts';
import { ReadingView } from './reading-view.tsx';
import { askWhetherNamesResolve } from './replay-hosts.ts';
import { hasScripts, scriptsRun } from './scripts.ts';
import { SnapshotHeader } from './snapshot-header.tsx';

/** Copies of one address a reader can step through. */
const versionsMax = 100;

/** One kept page: the page itself takes the room. */
export function SnapshotPage({ id }: { id: string }) {
  const snapshot = useLoad(`snapshot ${id}`, () => getSnapshot(id));
  usePageTitle(snapshot.value ? snapshotName(snapshot.value) : '');
  if (snapshot.value) return <LoadedPage snapshot={snapshot.value} onReload={snapshot.reload} />;
  return (
    <>
      <TopBar />
      <main id="main" class="column" tabIndex={-1}>
        {snapshot.failure ? <Absent failure={snapshot.failure} /> : <p role="status">Opening the kept page.</p>}
      </main>
    </>
  );
}

function LoadedPage({ snapshot, onReload }: { snapshot: SnapshotRecord; onReload: () => void }) {
  const replay = useLoad(`replay ${snapshot.id}`, () => getReplay(snapshot.id));
  const versions = useLoad(`versions ${snapshot.url}`, (signal) =>
    listSnapshots({ url: snapshot.url, limit: versionsMax }, signal),
  );
  const [chosen, setChosen] = useState<ReplayOutput>();
  const [detailsOpen, setDetailsOpen] = useRemembered('details', false);
  const [sentence, setSentence] = useState('');
  useEffect(askWhetherNamesResolve, []);
  const shown = replay.value ? shownOutput(replay.value, chosen && outputKey(chosen)) : undefined;
  const scripts = replay.value !== undefined && hasScripts(shown) && scriptsRun(snapshot.id, replay.value);

  const change = async (work: () => Promise<unknown>) => {
    try {
      await work();
      setSentence('');
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setSentence(`Not changed. ${error.message}`);
    }
    onReload();
  };

  return (
    <div class="snapshot-page">
      <SnapshotHeader
        snapshot={snapshot}
        versions={versions.value?.items ?? []}
        replay={replay.value}
        shown={shown}
        scripts={scripts}
        detailsOpen={detailsOpen}
        onChoose={setChosen}
        onTitle={(title) => void change(() => patchSnapshot(snapshot.id, { title }))}
        onDetails={() => setDetailsOpen(!detailsOpen)}
      />
      <div role="alert">{sentence === '' ? null : <p class="notice danger">{sentence}</p>}</div>
      <div class="snapshot-body" data-details={detailsOpen}>
        <main id="main" class="reading" tabIndex={-1}>
          {shown ? (
            <ReadingView output={shown} name={snapshotName(snapshot)} scripts={scripts} />
          ) : (
            <NothingToShow snapshot={snapshot} failure={replay.failure} asked={replay.value !== undefined} />
          )}
        </main>
        {detailsOpen ? <DetailsPanel snapshot={snapshot} onChange={(work) => void change(work)} /> : null}
      </div>
    </div>
  );
}

function Absent({ failure }: { failure: RequestFailed }) {
  const known = failure.code === 'not_found' || failure.code === 'deleted';
  return (
    <>
      <h1>{known ? 'This page is not in the library' : 'The kept page cannot be opened now'}</h1>
      <p>{failure.message}</p>
      <p>
        <a href="/">Go to the library</a>
      </p>
    </>
  );
}
