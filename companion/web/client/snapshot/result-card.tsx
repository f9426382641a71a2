import type { ArchiveResultRecord } from '../../../../shared/model/api-records.ts';
import { sizePhrase } from '../../../../shared/words/amounts.ts';
import { TimePhrase } from '../shell/time-phrase.tsx';
import { originLabels, pluginLabel, resultSentence } from './outputs.ts';

const glyphs: Record<ArchiveResultRecord['status'], string> = {
  succeeded: '✓',
  failed: '!',
  skipped: '–',
  noresults: '–',
  started: '◐',
};

/** One result: what became of it in a sentence; its files with size and digest behind a disclosure. */
export function ResultCard({ result }: { result: ArchiveResultRecord }) {
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
        </div>
      </details>
    </li>
  );
}
