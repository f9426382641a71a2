import { signal } from '@preact/signals';
import { routes } from '../../../../shared/protocol/routes.ts';
import { signedOut } from './request.ts';

/** Rises whenever something on the companion changed; whoever shows something asks again. */
export const changes = signal(0);

/** Whether the companion is there: false from a broken connection until it is back. */
export const connected = signal(true);

/** Many rows change in one breath while hooks run; one look per this time is enough for a reader. */
const SETTLE_MS = 300;
/** Browsers give up for good when the companion answers with an error, for example while it starts. */
const AGAIN_MS = 3000;

/** Listens to the companion's news while somebody is signed in, until the returned function is called. */
export function startEvents(): () => void {
  let source: EventSource | undefined;
  let again: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(again);
    source?.close();
  };
  const listen = () => {
    stop();
    source = new EventSource(routes.events);
    source.addEventListener('changed', announceChange);
    source.addEventListener('open', () => {
      if (!connected.value) announceChange();
      connected.value = true;
    });
    source.addEventListener('error', () => {
      connected.value = false;
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(listen, AGAIN_MS);
    });
  };
  const unsubscribe = signedOut.subscribe((out) => (out ? stop() : listen()));
  return () => {
    unsubscribe();
    stop();
  };
}

let settling: ReturnType<typeof setTimeout> | undefined;

function announceChange(): void {
  settling ??= setTimeout(() => {
    settling = undefined;
    changes.value += 1;
  }, SETTLE_MS);
}
