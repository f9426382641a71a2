import { useState } from 'preact/hooks';
import { getResultLog } from '../api/snapshots.ts';
import { useLoad } from '../api/use-load.ts';

/** What the hook behind a result wrote, asked for when somebody opens it. */
export function ResultLog({ resultId }: { resultId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="log" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Log</summary>
      {open ? <Lines resultId={resultId} /> : null}
    </details>
  );
}

function Lines({ resultId }: { resultId: string }) {
  const { value, failure } = useLoad(`log ${resultId}`, () => getResultLog(resultId));
  if (failure) return <p class="notice danger">{failure.message}</p>;
  if (!value) return null;
  if (!value.log) return <p class="soft">This run left no log.</p>;
  const { stdout, stderr, exit_code: exitCode, running } = value.log;
  const text = [stderr, stdout].filter((stream) => stream.trim() !== '').join('\n');
  return (
    <>
      <p class="soft">
        {running ? 'Under way.' : exitCode === null ? 'Ended by a signal.' : `Ended with exit code ${exitCode}.`}
      </p>
      {text === '' ? (
        <p class="soft">It wrote nothing.</p>
      ) : (
        <pre class="log-lines" tabIndex={0} aria-label="Log lines" dir="ltr">
          {text}
        </pre>
      )}
    </>
  );
}
