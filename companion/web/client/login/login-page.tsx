import { useEffect, useState } from 'preact/hooks';
import { signIn } from '../api/account.ts';
import { RequestFailed } from '../api/request.ts';
import { navigate, pageOf, place } from '../router.ts';
import { usePageTitle } from '../shell/page-title.ts';

/** Signs in with the code of the link, or with one typed here; says where to get one. */
export function LoginPage() {
  usePageTitle('Sign in');
  const [code, setCode] = useState('');
  const [busy, setBusy] = useState(false);
  const [sentence, setSentence] = useState('');

  const submit = async (text: string) => {
    setBusy(true);
    setSentence('Signing in.');
    try {
      await signIn(text.trim());
      if (pageOf(place.value).name === 'login') navigate('/', { replace: true });
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setSentence(error.message);
    } finally {
      setBusy(false);
    }
  };

  useEffect(() => {
    const fromLink = pageOf(place.value).name === 'login' ? decodeURIComponent(place.value.hash.slice(1)) : '';
    if (fromLink === '') return;
    // The code leaves the address bar and the history before it is used.
    navigate('/login', { replace: true });
    void submit(fromLink);
    // A link pasted into the tab that shows this page changes the fragment only.
  }, [place.value.hash]);

  return (
    <main id="main" class="column login">
      <h1>Open your library</h1>
      <p>
        The library opens with a one-time link, so that no other program and no web page can read it. Holdfast prints
        one when it starts; this command prints a fresh one:
      </p>
      <pre class="command">npm run -s holdfast -- login</pre>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit(code);
        }}
      >
        <label for="login-code">Or the code at the end of that link</label>
        <div class="field-line">
          <input
            id="login-code"
            class="field mono"
            autoComplete="one-time-code"
            spellcheck={false}
            required
            value={code}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
          <button type="submit" class="button primary" disabled={busy}>
            Sign in
          </button>
        </div>
        <p class="answer" role="status" aria-live="polite">
          {sentence}
        </p>
      </form>
    </main>
  );
}
