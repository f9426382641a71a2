import { useEffect, useRef, useState } from 'preact/hooks';
import { onStateChanged } from '../messaging/changes.ts';

/**
 * What a page of the extension shows, asked for now and after every change. Changes that come while an answer is
 * under way cause one more question, not many. `failure` is a sentence.
 */
export function usePageState<State>(ask: () => Promise<State>): { state: State | undefined; failure: string } {
  const [shown, setShown] = useState<{ state: State | undefined; failure: string }>({ state: undefined, failure: '' });
  const latestAsk = useRef(ask);
  latestAsk.current = ask;

  useEffect(() => {
    let busy = false;
    let wanted = false;
    let open = true;
    const look = async () => {
      wanted = true;
      if (busy) return;
      busy = true;
      while (wanted && open) {
        wanted = false;
        try {
          const state = await latestAsk.current();
          if (open) setShown({ state, failure: '' });
        } catch (error) {
          if (open)
            setShown((before) => ({ ...before, failure: error instanceof Error ? error.message : String(error) }));
        }
      }
      busy = false;
    };
    const stop = onStateChanged(() => void look());
    void look();
    return () => {
      open = false;
      stop();
    };
  }, []);
  return shown;
}
