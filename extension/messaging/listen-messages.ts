import { browser } from '../platform/browser.ts';
import type { Runtime } from '../platform/browser.ts';
import { envelopeSchema, messages } from './messages.ts';
import type { MessageName, ParsedRequestOf, ReplyOf } from './messages.ts';

export type Sender = Runtime.MessageSender;
export type Handlers = {
  [Name in MessageName]: (request: ParsedRequestOf<Name>, sender: Sender) => Promise<ReplyOf<Name>>;
};

type Answer = { reply: unknown } | { refused: string };

/**
 * Answers the messages of the table. Must be called while the background starts, synchronously. A message of another
 * extension, an unknown one, a malformed one, or one sent from a context that may not send it is refused by name.
 */
export function listenMessages(handlers: Handlers): void {
  browser.runtime.onMessage.addListener((raw: unknown, sender: Sender) => {
    const envelope = envelopeSchema.safeParse(raw);
    if (!envelope.success) return undefined;
    return answer(handlers, envelope.data.holdfast, envelope.data.request, sender);
  });
}

async function answer(handlers: Handlers, name: string, request: unknown, sender: Sender): Promise<Answer> {
  if (!isMessageName(name)) return { refused: `There is no message "${name}".` };
  if (!maySend(name, sender)) return { refused: `"${name}" may not be sent from there.` };
  const parsed = messages[name].request.safeParse(request);
  if (!parsed.success) return { refused: `"${name}" is malformed: ${parsed.error.issues[0]?.message ?? 'unknown'}` };
  const handler = handlers[name] as (request: unknown, sender: Sender) => Promise<unknown>;
  try {
    return { reply: await handler(parsed.data, sender) };
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

function isMessageName(name: string): name is MessageName {
  return Object.hasOwn(messages, name);
}

/** Whether this sender is the kind of context the table names for the message. */
function maySend(name: MessageName, sender: Pick<Sender, 'id' | 'url' | 'tab'>): boolean {
  if (sender.id !== browser.runtime.id) return false;
  const fromOwnPage = sender.url?.startsWith(browser.runtime.getURL('')) ?? false;
  return messages[name].from === 'extension' ? fromOwnPage : !fromOwnPage && sender.tab?.id !== undefined;
}
