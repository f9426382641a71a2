import { datePhrase, exactTime } from '../../shared/words/dates.ts';
import { sendMessage } from '../messaging/send-message.ts';
import type { CaptureView } from '../messaging/view-model.ts';
import { SmallPicture } from './small-picture.tsx';

/** Earlier copies of this address from this browser, as small dated pictures. */
export function VersionStrip({ versions }: { versions: CaptureView[] }) {
  if (versions.length === 0) return null;
  return (
    <section class="strip-section" aria-labelledby="kept-before">
      <h2 id="kept-before">Kept before</h2>
      <ul class="strip">
        {versions.map((version) => (
          <li key={version.id}>
            <Version version={version} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Version({ version }: { version: CaptureView }) {
  const inside = (
    <>
      <SmallPicture picture={version.thumbnailUrl} url={version.url} />
      <span>{datePhrase(version.at, Date.now())}</span>
    </>
  );
  const exact = exactTime(version.at);
  if (!version.actions.includes('open')) {
    return (
      <span class="version" title={`${exact}. ${version.sentence}`}>
        {inside}
      </span>
    );
  }
  return (
    <button
      type="button"
      class="version"
      title={exact}
      aria-label={`Open the copy of ${exact}`}
      onClick={() => void sendMessage('openLibrary', { captureId: version.id })}
    >
      {inside}
    </button>
  );
}
