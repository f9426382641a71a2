import { useState } from 'preact/hooks';
import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { datePhrase } from '../../../../shared/words/dates.ts';
import { getReplay, getSnapshot } from '../api/snapshots.ts';
import type { Replay, ReplayOutput } from '../api/snapshots.ts';
import { useLoad } from '../api/use-load.ts';
import { shortAddress, snapshotName } from '../library/snapshot-view.ts';
import { snapshotAddress } from '../router.ts';
import { usePageTitle } from '../shell/page-title.ts';
import { TopBar } from '../shell/top-bar.tsx';
import { comparable, type Comparison } from './comparable.ts';
import { MarkedText } from './marked-text.tsx';
import { PictureSlider } from './picture-slider.tsx';

interface Copy {
  snapshot: SnapshotRecord;
  replay: Replay;
}

/** Two kept copies of an address against each other: by their pictures or by their words. */
export function ComparePage({ ids }: { ids: readonly [string, string] }) {
  const copies = useLoad(`compare ${ids.join(' ')}`, () => Promise.all(ids.map(loadCopy)), { live: false });
  const [first, second] = (copies.value ?? []).toSorted((a, b) => timeOf(a) - timeOf(b));
  usePageTitle(first ? `Compare ${snapshotName(first.snapshot)}` : 'Compare');
  return (
    <>
      <TopBar />
      <main id="main" class="compare" tabIndex={-1}>
        {first && second ? (
          <Compared older={first} newer={second} />
        ) : (
          <>
            <h1>Compare two copies</h1>
            <p role="status">{copies.failure ? copies.failure.message : 'Opening both copies.'}</p>
          </>
        )}
      </main>
    </>
  );
}

async function loadCopy(id: string): Promise<Copy> {
  const [snapshot, replay] = await Promise.all([getSnapshot(id), getReplay(id)]);
  return { snapshot, replay };
}

function timeOf({ snapshot }: Copy): number {
  return Date.parse(snapshot.bookmarked_at);
}

const byLabels: Record<Comparison['by'], string> = { picture: 'Pictures', text: 'Words' };

function Compared({ older, newer }: { older: Copy; newer: Copy }) {
  const ways = comparable(older.replay.outputs, newer.replay.outputs);
  const [by, setBy] = useState(ways[0]?.by);
  const way = ways.find((one) => one.by === by);
  const when = (copy: Copy) => datePhrase(timeOf(copy), Date.now());
  const picture = (copy: Copy, output: ReplayOutput) => ({ src: output.download_url, when: when(copy) });
  return (
    <>
      <h1 dir="auto">{snapshotName(newer.snapshot)}</h1>
      <p class="address" dir="ltr">
        {shortAddress(newer.snapshot.url)}
      </p>
      <p>
        <a href={snapshotAddress(older.snapshot.id)}>{when(older)}</a> against{' '}
        <a href={snapshotAddress(newer.snapshot.id)}>{when(newer)}</a>
      </p>
      {ways.length > 0 ? (
        <div class="segmented" role="group" aria-label="Compare by">
          {ways.map((one) => (
            <button key={one.by} type="button" aria-pressed={one.by === by} onClick={() => setBy(one.by)}>
              {byLabels[one.by]}
            </button>
          ))}
        </div>
      ) : (
        <p>These two copies have no form in common that can be compared.</p>
      )}
      {way?.by === 'picture' ? (
        <PictureSlider older={picture(older, way.older)} newer={picture(newer, way.newer)} />
      ) : null}
      {way?.by === 'text' ? <MarkedText older={way.older.download_url} newer={way.newer.download_url} /> : null}
    </>
  );
}
