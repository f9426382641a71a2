import { sizePhrase } from '../../../../shared/words/amounts.ts';
import { requestText } from '../api/request.ts';
import type { ReplayOutput } from '../api/snapshots.ts';
import { useLoad } from '../api/use-load.ts';
import { outputKey } from './outputs.ts';

/** The most a reader gets at once; the whole file is one click away. */
const shownBytesMax = 2_000_000;

/** Derived text, set for reading; data in even letters. */
export function PlainText({ output, isData }: { output: ReplayOutput; isData: boolean }) {
  const text = useLoad(`text ${outputKey(output)}`, (signal) =>
    requestText(output.download_url, { bytesMax: shownBytesMax, signal }),
  );
  return (
    <div class="reading-scroll" tabIndex={0} role="region" aria-label="Kept text">
      {text.failure ? <p class="notice danger">{text.failure.message}</p> : null}
      <article class={isData ? 'reading-text reading-data' : 'reading-text'} dir="auto">
        {text.value}
      </article>
      {output.size > shownBytesMax ? (
        <p class="notice">
          The first {sizePhrase(shownBytesMax)} of {sizePhrase(output.size)} are shown.{' '}
          <a href={output.download_url} download>
            Save the whole text
          </a>
        </p>
      ) : null}
    </div>
  );
}
