import { useEffect, useRef, useState } from 'preact/hooks';
import { changes } from './events.ts';
import { RequestFailed } from './request.ts';

export interface Loaded<Value> {
  /** The newest answer; stays while a newer one is under way. */
  value: Value | undefined;
  failure: RequestFailed | undefined;
  reload: () => void;
}

/**
 * Loads something when `key` changes and again after every change on the companion. News that arrive while a load is
 * under way cause exactly one more afterwards, so a busy companion can neither starve the reader nor be flooded.
 * `initial` is shown until the first answer; `live: false` leaves changes aside, for what is costly to ask.
 */
export function useLoad<Value>(
  key: string,
  load: (signal: AbortSignal) => Promise<Value>,
  options: { initial?: Value | undefined; live?: boolean } = {},
): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value | undefined; failure?: RequestFailed }>({
    key,
    value: options.initial,
  });
  const latestLoad = useRef(load);
  latestLoad.current = load;
  const reload = useRef(() => {});

  useEffect(() => {
    const abort = new AbortController();
    const look = oneAtATime(async () => {
      try {
        const value = await latestLoad.current(abort.signal);
        if (!abort.signal.aborted) setState({ key, value });
      } catch (error) {
        if (abort.signal.aborted) return;
        if (!(error instanceof RequestFailed)) throw error;
        setState((before) => ({ ...(before.key === key ? before : { key }), failure: error }));
      }
    });
    reload.current = look;
    // Subscribing calls at once, which is the first look.
    const unsubscribe = options.live === false ? look() : changes.subscribe(look);
    return () => {
      unsubscribe?.();
      abort.abort();
    };
  }, [key]);

  const current = state.key === key ? state : { key };
  return { value: current.value, failure: current.failure, reload: () => reload.current() };
}

/** Runs `work` now, or once more after the run under way. */
function oneAtATime(work: () => Promise<void>): () => void {
  let busy = false;
  let wanted = false;
  const run = async () => {
    busy = true;
    do {
      wanted = false;
      await work();
    } while (wanted);
    busy = false;
  };
  return () => {
    wanted = true;
    if (!busy) void run();
  };
}
