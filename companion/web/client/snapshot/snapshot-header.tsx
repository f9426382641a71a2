import type { SnapshotRecord } from '../../../../shared/model/api-records.ts';
import type { Replay, ReplayOutput } from '../api/snapshots.ts';
import { markGlyphs, shortAddress, stateMark } from '../library/snapshot-view.ts';
import { EditableTitle } from './editable-title.tsx';
import { KindSwitcher } from './kind-switcher.tsx';
import { namesResolve } from './replay-hosts.ts';
import { ScriptsMenu } from './scripts-menu.tsx';
import { hasScripts, turnScriptsOff, turnScriptsOn } from './scripts.ts';
import { VersionLine } from './version-line.tsx';

interface Props {
  snapshot: SnapshotRecord;
  versions: SnapshotRecord[];
  replay: Replay | undefined;
  shown: ReplayOutput | undefined;
  /** Whether the copy's own scripts run. */
  scripts: boolean;
  detailsOpen: boolean;
  onChoose: (output: ReplayOutput) => void;
  onTitle: (title: string) => void;
  onDetails: () => void;
}

/** Slim line above the page: what it is, when, in which form. */
export function SnapshotHeader({
  snapshot,
  versions,
  replay,
  shown,
  scripts,
  detailsOpen,
  onChoose,
  onTitle,
  onDetails,
}: Props) {
  const mark = stateMark(snapshot);
  return (
    <header class="snapshot-header">
      <a class="back-link" href="/" aria-label="Back to the library" title="Back to the library">
        ‹ Library
      </a>
      <EditableTitle title={snapshot.title ?? ''} fallback={shortAddress(snapshot.url)} onSave={onTitle} />
      <p class="snapshot-address">
        <a
          href={snapshot.url}
          target="_blank"
          rel="noopener noreferrer"
          dir="ltr"
          title={`Open the live page: ${snapshot.url}`}
        >
          {shortAddress(snapshot.url)}
        </a>
        <span class="snapshot-state" data-mark={mark} role="status" aria-live="polite">
          <span class="state-glyph" aria-hidden="true">
            {markGlyphs[mark]}
          </span>
          <span>{snapshot.state_sentence}</span>
        </span>
      </p>
      <VersionLine versions={versions} shownId={snapshot.id} />
      {replay && replay.outputs.length > 0 ? (
        <KindSwitcher outputs={replay.outputs} shown={shown} onChoose={onChoose} />
      ) : null}
      {replay && hasScripts(shown) && namesResolve.value !== undefined ? (
        <ScriptsMenu
          running={scripts}
          possible={namesResolve.value}
          onTurn={(on) => (on ? turnScriptsOn(snapshot.id, replay) : turnScriptsOff(snapshot.id))}
        />
      ) : null}
      <button
        type="button"
        class="button details-button"
        aria-expanded={detailsOpen}
        aria-controls="details"
        onClick={onDetails}
      >
        Details
      </button>
    </header>
  );
}
