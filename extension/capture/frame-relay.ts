import { browser } from '../platform/browser.ts';
import type { Runtime } from '../platform/browser.ts';

const PREFIX = 'singlefile.frameTree.';

/**
 * Hands what single-file-core's frames say on to the top frame of the same tab. Both browsers define `browser` in
 * content scripts, so the frames speak to the background and nobody else would answer. Must be called while the
 * background starts.
 */
export function relayFrameTree(): void {
  browser.runtime.onMessage.addListener((message: unknown, sender: Runtime.MessageSender) => {
    if (!isFrameTreeMessage(message) || sender.id !== browser.runtime.id || sender.tab?.id === undefined)
      return undefined;
    return relay(sender.tab.id, message);
  });
}

async function relay(tabId: number, message: object): Promise<object> {
  await browser.tabs.sendMessage(tabId, message, { frameId: 0 });
  return {};
}

function isFrameTreeMessage(message: unknown): message is { method: string } {
  const method = (message as { method?: unknown } | null)?.method;
  return typeof method === 'string' && method.startsWith(PREFIX);
}
