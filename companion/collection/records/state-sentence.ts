import type { ArchiveResultRecord } from '../../../shared/model/api-records.ts';
import { uploadHookName } from '../../../shared/model/states.ts';
import { parseStringList } from './common.ts';
import { stopSentences } from '../../../shared/words/stop-reasons.ts';
import type { SnapshotRow } from './tables.ts';

/** One sentence that tells a person what is happening to this page (look.md, "Words"). */
export function stateSentence(row: SnapshotRow, results: readonly ArchiveResultRecord[]): string {
  const captures = results.filter((result) => result.hook_name === uploadHookName && result.status === 'succeeded');
  const expected = parseStringList(row.expected_captures);
  const done = new Set(results.filter((result) => result.status !== 'started').map((result) => result.plugin));
  const missing = expected.filter((plugin) => !done.has(plugin));
  if (row.trashed_at !== null) return 'In the trash.';
  if (row.status === 'paused') return 'Paused.';
  if (row.trouble !== null && row.status !== 'sealed') return `${row.trouble} It is tried again.`;
  if (missing.length > 0 && row.status !== 'sealed') {
    if (captures.length === 0) return 'Waiting for your browser to send this page.';
    return `Receiving from your browser: ${expected.length - missing.length} of ${expected.length} captures.`;
  }
  if (row.status === 'queued') {
    return row.output_size > 0 ? 'The captures are on disk; the rest is waiting its turn.' : 'Waiting its turn.';
  }
  const failed = results.filter((result) => result.status === 'failed').length;
  if (row.status === 'started') {
    const ended = results.filter((result) => result.status !== 'started').length;
    return `Working: ${ended} of ${Math.max(results.length, ended)} steps done.`;
  }
  const kept = results.filter((result) => result.status === 'succeeded').length;
  const stopped = row.stop_reason === null ? undefined : stopSentences[row.stop_reason];
  if (stopped !== undefined && (kept === 0 || row.output_size === 0)) return `Not fetched: ${stopped}.`;
  // Hooks that succeed without a file have kept nothing of the page.
  if (kept === 0 || row.output_size === 0)
    return failed > 0 ? 'Nothing could be kept; open it to see why.' : 'Nothing was kept.';
  const files = kept === 1 ? '1 result' : `${kept} results`;
  const outcome = failed === 0 ? `Kept on disk. ${files}.` : `Kept on disk. ${files}, ${failed} failed.`;
  return stopped === undefined ? outcome : `${outcome} The rest was left out: ${stopped}.`;
}
