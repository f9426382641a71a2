import { useEffect, useState } from 'preact/hooks';
import { RequestFailed } from '../api/request.ts';
import { addUrls, listSnapshots } from '../api/snapshots.ts';
import { useLoad } from '../api/use-load.ts';
import { parseWebUrl } from '../../../../shared/url/web-url.ts';
import { navigate, snapshotAddress } from '../router.ts';
import { usePageTitle } from '../shell/page-title.ts';
import { TopBar } from '../shell/top-bar.tsx';

/** Where links inside kept pages lead: to the newest kept copy of that address, or to the offer to keep it. */
export function KeepPage({ url }: { url: string }) {
  usePageTitle(url);
  const parsed = parseWebUrl(url);
  const found = useLoad(`kept ${url}`, () => findKept(url));
  const keptId = found.value?.id ?? undefined;
  useEffect(() => {
    if (keptId !== undefined) navigate(snapshotAddress(keptId), { replace: true });
  }, [keptId]);
  return (
    <>
      <TopBar />
      <main id="main" class="column" tabIndex={-1}>
        {!parsed.ok ? (
          <>
            <h1>This address cannot be kept</h1>
            <p class="address" dir="ltr">
              {url}
            </p>
            <p>It {parsed.reason}.</p>
          </>
        ) : found.value?.id === null ? (
          <Offer url={parsed.url} />
        ) : (
          <p role="status">{found.failure ? found.failure.message : 'Looking for a kept copy.'}</p>
        )}
      </main>
    </>
  );
}

/** The newest copy of the address, or of the same address without its fragment. */
async function findKept(url: string): Promise<{ id: string | null }> {
  const spellings = new Set([url, url.replace(/#.*$/s, '')]);
  for (const spelling of spellings) {
    const { items } = await listSnapshots({ url: spelling, limit: 1 });
    if (items[0]) return { id: items[0].id };
  }
  return { id: null };
}

function Offer({ url }: { url: string }) {
  const [state, setState] = useState<{ asked: boolean; sentence: string }>({ asked: false, sentence: '' });
  const keep = async () => {
    setState({ asked: true, sentence: 'Asking Holdfast to keep it.' });
    try {
      await addUrls([url], '');
      setState({ asked: true, sentence: 'It will be kept. This page opens the copy as soon as it is listed.' });
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setState({ asked: false, sentence: error.message });
    }
  };
  return (
    <>
      <h1>This page is not kept yet</h1>
      <p class="address" dir="ltr">
        {url}
      </p>
      <p>
        Holdfast can fetch it now: signed out, as a stranger sees it. To keep it as you see it, open the live page and
        use the extension there.
      </p>
      <p class="button-line">
        <button type="button" class="button primary" disabled={state.asked} onClick={() => void keep()}>
          Keep it
        </button>
        <a class="button" href={url} rel="noopener noreferrer">
          Open the live page
        </a>
      </p>
      <p class="answer" role="status" aria-live="polite">
        {state.sentence}
      </p>
    </>
  );
}
