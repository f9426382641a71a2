import { useState } from 'preact/hooks';
import { sizePhrase } from '../../../../shared/words/amounts.ts';
import type { ReplayOutput } from '../api/snapshots.ts';
import { outputKey, readerKind } from './outputs.ts';
import { PlainText } from './plain-text.tsx';
import { frameAddress, namesResolve } from './replay-hosts.ts';
import { withScripts } from './scripts.ts';

interface Props {
  output: ReplayOutput;
  name: string;
  /** Whether the copy's own scripts may run. */
  scripts: boolean;
}

/**
 * The kept copy itself. Pages, documents and derived HTML stand in a frame of their own host, whose answers carry the
 * sandbox (an attribute here would break PDFs). Pictures are drawn by this page: as an image they cannot act.
 */
export function ReadingView({ output, name, scripts }: Props) {
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
  const resolves = namesResolve.value;
  if (resolves === undefined) return null;
  const address = frameAddress(current, resolves);
  return (
    <iframe
      key={outputKey(current)}
      class="reading-frame"
      src={scripts && resolves ? withScripts(address) : address}
      title={`Kept copy of ${name}`}
      referrerpolicy="no-referrer"
    />
  );
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
