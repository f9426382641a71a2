import type { ResultStatus } from '../../shared/model/states.ts';
import { hookExitSkipped, type ArchiveResultLine } from '../../shared/plugin-contract/records.ts';
import type { EndReason } from '../process/process-result.ts';

/** What a hook's end means for its result. */
export interface HookOutcome {
  status: Exclude<ResultStatus, 'started'>;
  outputStr: string;
  outputJson: Record<string, unknown> | undefined;
  /** For a person, when it failed. */
  error: string | null;
}

export interface HookEnd {
  reason: EndReason;
  exitCode: number | null;
  signal: string | null;
  message: string | null;
  stderr: string;
  /** The run asked this background hook to end; a signal is then no failure. */
  wasAskedToEnd: boolean;
}

const stderrShown = 600;

/**
 * The rules of DESIGN section 6: exit 0 with a record is what the record says, without one it is `noresults`; exit 10
 * is `skipped`; anything else is `failed` with the end of what it said on stderr.
 */
export function decideOutcome(end: HookEnd, record: ArchiveResultLine | undefined): HookOutcome {
  const isPoliteEnd = end.wasAskedToEnd && end.reason === 'exited' && end.signal !== null;
  if (end.reason === 'exited' && (end.exitCode === 0 || isPoliteEnd)) {
    const status = record?.status ?? 'noresults';
    const error = status === 'failed' ? failureText(end, record?.output_str) : null;
    return { status, outputStr: record?.output_str ?? '', outputJson: record?.output_json ?? undefined, error };
  }
  if (end.reason === 'exited' && end.exitCode === hookExitSkipped) {
    return {
      status: 'skipped',
      outputStr: record?.output_str ?? lastWords(end.stderr),
      outputJson: undefined,
      error: null,
    };
  }
  // A hook that says itself why it failed says it better than its exit code.
  const said = end.reason === 'exited' && record?.status === 'failed' ? record.output_str : '';
  return { status: 'failed', outputStr: '', outputJson: undefined, error: said || failureText(end, undefined) };
}

function failureText(end: HookEnd, said: string | undefined): string {
  const words = said || lastWords(end.stderr);
  const what = end.message ?? '';
  if (words === '') return what === '' ? 'it failed without saying why' : what;
  return what === '' ? words : `${what}: ${words}`;
}

/** The end of stderr, whole lines, at most `stderrShown` characters. */
function lastWords(stderr: string): string {
  const text = stderr.trim();
  if (text.length <= stderrShown) return text;
  const tail = text.slice(-stderrShown);
  const lineStart = tail.indexOf('\n');
  return lineStart < 0 ? tail : tail.slice(lineStart + 1);
}
