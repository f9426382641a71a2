import { useEffect, useRef } from 'preact/hooks';
import { startEvents } from './api/events.ts';
import { signedOut } from './api/request.ts';
import { ComparePage } from './compare/compare-page.tsx';
import { KeepPage } from './keep/keep-page.tsx';
import { LibraryPage } from './library/library-page.tsx';
import { LoginPage } from './login/login-page.tsx';
import { PairingPage } from './pairing/pairing-page.tsx';
import { pageOf, place } from './router.ts';
import { ConnectionBanner } from './shell/connection-banner.tsx';
import { DeletionToast } from './shell/deletion-toast.tsx';
import { UnknownPage } from './shell/unknown-page.tsx';
import { SnapshotPage } from './snapshot/snapshot-page.tsx';

export function App() {
  const page = pageOf(place.value);
  useFocusOnNewPage(place.value.path);
  if (page.name === 'login' || signedOut.value) return <LoginPage />;
  return (
    <>
      <SignedIn />
      <a class="skip-link" href="#main">
        Skip to the content
      </a>
      <ConnectionBanner />
      <CurrentPage page={page} />
      <DeletionToast />
    </>
  );
}

/** A new page takes the reading place that the old one took away with it. */
function useFocusOnNewPage(path: string): void {
  const known = useRef(path);
  useEffect(() => {
    if (known.current === path) return;
    known.current = path;
    if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true });
  }, [path]);
}

function SignedIn() {
  useEffect(startEvents, []);
  return null;
}

function CurrentPage({ page }: { page: ReturnType<typeof pageOf> }) {
  switch (page.name) {
    case 'library':
      return <LibraryPage />;
    case 'pairing':
      return <PairingPage />;
    case 'snapshot':
      return <SnapshotPage key={page.id} id={page.id} />;
    case 'compare':
      return <ComparePage key={page.ids.join(' ')} ids={page.ids} />;
    case 'web':
      return <KeepPage key={page.url} url={page.url} />;
    default:
      return <UnknownPage />;
  }
}
