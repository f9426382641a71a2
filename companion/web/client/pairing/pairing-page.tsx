import { useEffect, useState } from 'preact/hooks';
import { timeLeftPhrase } from '../../../../shared/words/dates.ts';
import { listPairings, makePairingCode, removePairing } from '../api/account.ts';
import type { Pairing } from '../api/account.ts';
import { RequestFailed } from '../api/request.ts';
import { useLoad } from '../api/use-load.ts';
import { usePageTitle } from '../shell/page-title.ts';
import { StatusFooter } from '../shell/status-footer.tsx';
import { TimePhrase } from '../shell/time-phrase.tsx';
import { TopBar } from '../shell/top-bar.tsx';

/** Browsers that may send pages here: connect another one, or take one's permission back. */
export function PairingPage() {
  usePageTitle('Browsers');
  const pairings = useLoad('pairings', listPairings);
  const [sentence, setSentence] = useState('');
  const remove = async (pairing: Pairing) => {
    try {
      await removePairing(pairing.id);
      setSentence(`${pairing.name} can no longer send pages. What it kept stays here.`);
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setSentence(`Not changed. ${error.message}`);
    }
    pairings.reload();
  };
  return (
    <>
      <TopBar />
      <main id="main" class="column" tabIndex={-1}>
        <h1>Browsers</h1>
        <ConnectSection />
        <section class="section" aria-labelledby="paired-title">
          <h2 id="paired-title">Connected</h2>
          {pairings.failure ? <p class="notice danger">{pairings.failure.message}</p> : null}
          {pairings.value?.pairings.length === 0 ? <p>No browser is connected yet.</p> : null}
          <ul class="lines">
            {pairings.value?.pairings.map((pairing) => (
              <PairingLine key={pairing.id} pairing={pairing} onRemove={() => void remove(pairing)} />
            ))}
          </ul>
          <p class="answer" role="status" aria-live="polite">
            {sentence}
          </p>
        </section>
      </main>
      <StatusFooter />
    </>
  );
}

function PairingLine({ pairing, onRemove }: { pairing: Pairing; onRemove: () => void }) {
  return (
    <li class="line">
      <div>
        <strong dir="auto">{pairing.name}</strong>
        <p class="soft">
          Connected <TimePhrase iso={pairing.created_at} />
          {pairing.origin === '' ? ', a program on this computer' : null}
        </p>
        <p class="soft">
          Fingerprint <span class="mono">{pairing.fingerprint}</span>
        </p>
      </div>
      <button type="button" class="button danger" onClick={onRemove} aria-label={`Disconnect ${pairing.name}`}>
        Disconnect
      </button>
    </li>
  );
}

function ConnectSection() {
  const [code, setCode] = useState<{ text: string; endsAt: number }>();
  const [sentence, setSentence] = useState('');
  const left = useTimeLeft(code?.endsAt);
  const show = async () => {
    try {
      const made = await makePairingCode();
      setCode({ text: made.code, endsAt: Date.now() + made.expires_in_seconds * 1000 });
      setSentence('');
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setSentence(error.message);
    }
  };
  return (
    <section class="section" aria-labelledby="connect-title">
      <h2 id="connect-title">Connect a browser</h2>
      <p>
        Add Holdfast's extension to the browser, open its options, and type the code. A code works once and for ten
        minutes, so that no other program can pretend to be your browser.
      </p>
      <div role="status" aria-live="polite">
        {code && left > 0 ? (
          <p class="pairing-code mono" aria-label={`Code ${[...code.text].join(' ')}`}>
            {code.text}
          </p>
        ) : null}
        {code ? (
          <p class="soft">
            {left > 0 ? `Valid for ${timeLeftPhrase(left)} more.` : 'This code is used up. Ask for a new one.'}
          </p>
        ) : null}
        {sentence === '' ? null : <p class="notice danger">{sentence}</p>}
      </div>
      <button type="button" class={code ? 'button' : 'button primary'} onClick={() => void show()}>
        {code ? 'Show a new code' : 'Show a code'}
      </button>
    </section>
  );
}

/** Milliseconds until then, looked at every half minute so that nobody listening is flooded. */
function useTimeLeft(endsAt: number | undefined): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (endsAt === undefined) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, [endsAt]);
  return endsAt === undefined ? 0 : endsAt - now;
}
