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

/** What the tab that listens tells the others. */
type News = 'changed' | 'lost' | 'back';
const SHARED_NAME = 'holdfast.events';

/**
 * Learns of the companion's news while somebody is signed in, until the returned function is called. A browser opens
 * six connections to a host and no more, so of all tabs one listens and tells the others; when it goes, another takes
 * its place.
 */
export function startEvents(): () => void {
  const channel = new BroadcastChannel(SHARED_NAME);
  channel.addEventListener('message', (event: MessageEvent<News>) => hear(event.data));
  const tell = (news: News) => {
    hear(news);
    channel.postMessage(news);
  };
  let turn: AbortController | undefined;
  const unsubscribe = signedOut.subscribe((out) => {
    turn?.abort();
    turn = out ? undefined : new AbortController();
    if (turn) void waitForTurn(turn.signal, tell);
  });
  return () => {
    unsubscribe();
    turn?.abort();
    channel.close();
  };
}

/** Listens as soon as no other tab does, until the signal ends it. */
async function waitForTurn(ended: AbortSignal, tell: (news: News) => void): Promise<void> {
  try {
    await navigator.locks.request(SHARED_NAME, { signal: ended }, () => listen(ended, tell));
  } catch (error) {
    if (!ended.aborted) throw error;
  }
}

function listen(ended: AbortSignal, tell: (news: News) => void): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource | undefined;
    let again: ReturnType<typeof setTimeout> | undefined;
    const open = () => {
      source = new EventSource(routes.events);
      source.addEventListener('changed', () => tell('changed'));
      source.addEventListener('open', () => tell('back'));
      source.addEventListener('error', () => {
        tell('lost');
        if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, AGAIN_MS);
      });
    };
    const stop = () => {
      clearTimeout(again);
      source?.close();
      resolve();
    };
    ended.addEventListener('abort', stop);
    if (ended.aborted) stop();
    else open();
  });
}

function hear(news: News): void {
  if (news === 'changed' || (news === 'back' && !connected.value)) announceChange();
  if (news !== 'changed') connected.value = news === 'back';
}

let settling: ReturnType<typeof setTimeout> | undefined;

function announceChange(): void {
  settling ??= setTimeout(() => {
    settling = undefined;
    changes.value += 1;
  }, SETTLE_MS);
}
