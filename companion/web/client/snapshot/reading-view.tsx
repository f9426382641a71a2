import { useState } from 'preact/hooks';
import { uiHostName } from '../../../../shared/protocol/hosts.ts';
import { sizePhrase } from '../../../../shared/words/amounts.ts';
import type { ReplayOutput } from '../api/snapshots.ts';
import { outputKey, readerKind } from './outputs.ts';
import { PlainText } from './plain-text.tsx';

/**
 * The kept copy itself. Pages, documents and derived HTML stand in a frame of their own host, whose answers carry the
 * sandbox (an attribute here would break PDFs). Pictures are drawn by this page: as an image they cannot act.
 */
export function ReadingView({ output, name }: { output: ReplayOutput; name: string }) {
  // Every answer of the companion may carry a new address for the same bytes; the frame must not load again for that.
  const [held, setHeld] = useState(output);
  const current = outputKey(held) === outputKey(output) ? held : output;
  if (current !== held) setHeld(current);

  if (current.kind === 'picture') {
    return (
      <div class="reading-scroll" tabIndex={0} role="region" aria-label="Kept picture">
        <img class="reading-picture" src={current.download_url} alt={`Picture of ${name}, as it was kept`} />
      </div>
    );
  }
  if (isPlain(current.mimetype)) return <PlainText output={current} isData={readerKind(current) === 'file'} />;
  if (current.kind === 'file') return <FileCard output={current} />;
  return (
    <iframe
      key={outputKey(current)}
      class="reading-frame"
      src={frameAddress(current)}
      title={`Kept copy of ${name}`}
      referrerpolicy="no-referrer"
    />
  );
}

/** Where this UI itself is reached by number, names below `localhost` are not to be relied on. */
function frameAddress(output: ReplayOutput): string {
  return location.hostname === uiHostName ? output.url : (output.fallback_url ?? output.url);
}

/** Text without markup is set by this page, in its own type. */
function isPlain(mimetype: string): boolean {
  return /^(text\/(plain|markdown|csv)|application\/(json|x-ndjson))\b/.test(mimetype);
}

function FileCard({ output }: { output: ReplayOutput }) {
  return (
    <div class="reading-note">
      <h2>{output.label}</h2>
      <p class="mono">
        {output.path}, {sizePhrase(output.size)}
      </p>
      <p>This file is for other programs; a browser does not show it as a page.</p>
      <a class="button primary" href={output.download_url} download>
        Save a copy
      </a>
    </div>
  );
}
