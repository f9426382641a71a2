import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import { datePhrase, exactTime } from '../../../../shared/words/dates.ts';
import { compareAddress, snapshotAddress } from '../router.ts';
import { spreadOnLine, windowAround } from './spread.ts';

/** The least distance of two dots, as a part of the line. */
const GAP = 0.06;
/** More dots than this do not fit under a finger; the steps lead on to the others. */
const DOTS_MAX = 16;

interface Props {
  /** Kept copies of the same address in any order, the shown one among them. */
  versions: SnapshotRecord[];
  shownId: string;
}

/** Time as a place: a dot for each kept copy of this address, the shown one filled. */
export function VersionLine({ versions, shownId }: Props) {
  if (versions.length < 2) return null;
  const all = versions.toSorted((a, b) => timeOf(a) - timeOf(b));
  const shownAt = all.findIndex((version) => version.id === shownId);
  const ordered = windowAround(all, shownAt, DOTS_MAX);
  const times = ordered.map(timeOf);
  const places = spreadOnLine(times, GAP);
  const now = Date.now();
  return (
    <nav class="versions" aria-label={`${all.length} kept copies of this address`}>
      <StepLink version={all[shownAt - 1]} label="Earlier" arrow="‹" />
      <span class="versions-end">{datePhrase(times[0]!, now)}</span>
      <ol class="versions-line">
        {ordered.map((version, index) => (
          <li key={version.id} style={{ insetInlineStart: `${(places[index]! * 100).toFixed(2)}%` }}>
            <a
              class="version-dot"
              href={snapshotAddress(version.id)}
              aria-current={version.id === shownId ? 'true' : undefined}
              aria-label={exactTime(times[index]!)}
              title={exactTime(times[index]!)}
            />
          </li>
        ))}
      </ol>
      <span class="versions-end">{datePhrase(times.at(-1)!, now)}</span>
      <StepLink version={all[shownAt + 1]} label="Later" arrow="›" />
      <CompareLink shown={all[shownAt]} other={all[shownAt - 1] ?? all[shownAt + 1]} />
    </nav>
  );
}

function StepLink({ version, label, arrow }: { version: SnapshotRecord | undefined; label: string; arrow: string }) {
  if (!version) return <span class="version-step" aria-hidden="true" />;
  return (
    <a class="version-step" href={snapshotAddress(version.id)} aria-label={`${label} copy`} title={`${label} copy`}>
      {arrow}
    </a>
  );
}

function timeOf(version: SnapshotRecord): number {
  return Date.parse(version.bookmarked_at);
}

/** Against the copy before; the first one against the next. */
function CompareLink({ shown, other }: { shown: SnapshotRecord | undefined; other: SnapshotRecord | undefined }) {
  if (!shown || !other) return null;
  const [older, newer] = timeOf(other) < timeOf(shown) ? [other, shown] : [shown, other];
  return <a href={compareAddress(older.id, newer.id)}>Compare</a>;
}
