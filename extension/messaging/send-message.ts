import { browser } from '../platform/browser.ts';
import type { MessageName, ReplyOf, RequestOf } from './messages.ts';

/** A refusal or a crash of the background, told in one sentence. */
class MessageFailed extends Error {}

/**
 * Sends one message to the background and returns its reply. Wakes the background when it sleeps.
 * @throws MessageFailed when the background refused or failed
 */
export async function sendMessage<Name extends MessageName>(
  name: Name,
  request: RequestOf<Name>,
): Promise<ReplyOf<Name>> {
  const answer: unknown = await browser.runtime.sendMessage({ holdfast: name, request });
  if (isAnswer(answer) && 'reply' in answer) return answer.reply as ReplyOf<Name>;
  const why = isAnswer(answer) && 'refused' in answer ? String(answer.refused) : 'The background did not answer.';
  throw new MessageFailed(why);
}

function isAnswer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * The tab a page of the extension speaks about: `?tab=<id>` in its own address (the popup opened as a tab), else the
 * active tab of its window.
 */
export async function subjectTabId(): Promise<number | undefined> {
  const named = Number(new URLSearchParams(location.search).get('tab'));
  if (named > 0) return named;
  const [tab] = await browser.tabs.query({ active: true, currentWindow: true });
  return tab?.id;
}

/**
 * Asks the browser for the optional permissions. Must be called from a click or key press.
 * @returns whether everything is granted now
 */
export function requestFullPermissions(): Promise<boolean> {
  return browser.permissions.request(optionalPermissions());
}

/** Names differ between the browsers: Firefox has no pageCapture. */
function optionalPermissions(): Parameters<typeof browser.permissions.request>[0] {
  const declared = browser.runtime.getManifest() as { optional_permissions?: string[]; permissions?: string[] };
  const names = declared.optional_permissions ?? [];
  return { origins: ['<all_urls>'], permissions: names as never[] };
}
