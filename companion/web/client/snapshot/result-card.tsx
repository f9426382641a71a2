import { useState } from 'preact/hooks';
import type { ArchiveResultRecord } from '../../../../shared/model/api-records.ts';
import { sizePhrase } from '../../../../shared/words/amounts.ts';
import { TimePhrase } from '../shell/time-phrase.tsx';
import { ResultLog } from './result-log.tsx';
import { originLabels, pluginLabel, resultSentence } from './outputs.ts';

const glyphs: Record<ArchiveResultRecord['status'], string> = {
  succeeded: '✓',
  failed: '!',
  skipped: '–',
  noresults: '–',
  started: '◐',
};

interface Props {
  result: ArchiveResultRecord;
  /** Asks for another run of its plugin; undefined where nothing can be run now. */
  onRunAgain: (() => void) | undefined;
}

/** One result: what became of it in a sentence; its files with size and digest behind a disclosure. */
export function ResultCard({ result, onRunAgain }: Props) {
  const files = Object.entries(result.output_files);
  return (
    <li class="result" data-status={result.status}>
      <details>
        <summary>
          <span class="state-glyph" aria-hidden="true">
            {glyphs[result.status]}
          </span>
          <span class="result-words">
            <strong>{pluginLabel(result.plugin)}</strong>
            <span class="result-sentence">{resultSentence(result)}</span>
          </span>
        </summary>
        <div class="result-more">
          <p class="soft">
            {result.status === 'skipped' ? null : `${originLabels[result.origin]}, `}
            <TimePhrase iso={result.end_ts ?? result.modified_at} />
            {', '}
            <span class="mono">{result.plugin}</span>
          </p>
          {files.length > 0 ? (
            <ul class="files">
              {files.map(([path, file]) => (
                <li key={path}>
                  <a class="mono" href={file.url} download={path.split('/').at(-1)} dir="ltr">
                    {path}
                  </a>{' '}
                  <span class="mono soft">{sizePhrase(file.size)}</span>
                  {file.digest ? <code class="digest">{file.digest}</code> : null}
                </li>
              ))}
            </ul>
          ) : null}
          {result.process_id === null ? null : <ResultLog resultId={result.id} />}
          {onRunAgain ? <RunAgain key={result.revision} result={result} onRunAgain={onRunAgain} /> : null}
        </div>
      </details>
    </li>
  );
}

function RunAgain({ result, onRunAgain }: { result: ArchiveResultRecord; onRunAgain: () => void }) {
  const [asked, setAsked] = useState(false);
  return (
    <div class="run-again">
      <button
        type="button"
        class="button"
        aria-label={`Run again: ${pluginLabel(result.plugin)}`}
        disabled={asked}
        onClick={() => {
          setAsked(true);
          onRunAgain();
        }}
      >
        {result.status === 'skipped' ? 'Run it now' : 'Run again'}
      </button>
      <p class="soft" role="status">
        {asked ? 'Asked for. The new result replaces this one.' : runHint(result)}
      </p>
    </div>
  );
}

/** What was fetched, or would be, comes from the live site as a stranger sees it. */
function runHint(result: ArchiveResultRecord): string {
  return result.origin === 'derived' ? 'Works from what was kept.' : 'Fetches the page as it is now, signed out.';
}
