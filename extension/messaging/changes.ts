/**
 * Tells every open page of the extension that some state changed, so that none has to ask in a loop. The news has no
 * content: a page asks again for what it shows. Works in both browsers and outlives a restart of the background.
 */
const CHANNEL = 'holdfast-state';

/** Calls the listener after each change until the returned function is called. */
export function onStateChanged(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = () => listener();
  return () => channel.close();
}

let sender: BroadcastChannel | undefined;

export function announceStateChange(): void {
  sender ??= new BroadcastChannel(CHANNEL);
  sender.postMessage('changed');
}
