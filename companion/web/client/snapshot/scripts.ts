import type { Replay, ReplayOutput } from '../api/snapshots.ts';
import { snapshotAddress } from '../router.ts';

const ASKED_KEY = 'holdfast.scripts-for';

/** Name of the snapshot's host without `.localhost`. */
function labelOf(replay: Replay): string {
  return replay.host.split('.')[0]!;
}

/**
 * Whether this document may run the copy's scripts: it was loaded with a policy that frames the copy's host and no
 * other, and the reader asked for it in this tab. A link from elsewhere never is enough.
 */
export function scriptsRun(snapshotId: string, replay: Replay): boolean {
  const label = new URLSearchParams(location.search).get('scripts');
  return label === labelOf(replay) && sessionStorage.getItem(ASKED_KEY) === snapshotId;
}

/** Loads the document again, now with the policy that frames one host. */
export function turnScriptsOn(snapshotId: string, replay: Replay): void {
  sessionStorage.setItem(ASKED_KEY, snapshotId);
  location.assign(`${snapshotAddress(snapshotId)}?scripts=${encodeURIComponent(labelOf(replay))}`);
}

export function turnScriptsOff(snapshotId: string): void {
  sessionStorage.removeItem(ASKED_KEY);
  location.assign(snapshotAddress(snapshotId));
}

/** Only pages have scripts; a picture, text or PDF is shown the same way always. */
export function hasScripts(output: ReplayOutput | undefined): boolean {
  return output?.kind === 'page' && /html/.test(output.mimetype);
}

/** The same address with its scripts on; the companion answers it only in a frame of the library. */
export function withScripts(address: string): string {
  const url = new URL(address);
  url.searchParams.set('scripts', '1');
  return url.href;
}
