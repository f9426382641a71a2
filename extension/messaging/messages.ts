import { z } from 'zod';
import type { OptionsState, OutboxState, PopupState } from './view-model.ts';

/**
 * The one table of messages between the extension's contexts. `from` says who may send:
 * - `extension`: popup, options, outbox page (our own origin)
 * - `capture`: our capture scripts inside a web page; everything they say is page data
 * Anything else is refused by `listen-messages.ts`. Requests are parsed, never trusted.
 */
interface Message<Request extends z.ZodType, Reply> {
  from: 'extension' | 'capture';
  request: Request;
  /** Carries the reply's type only. */
  reply: (reply: Reply) => Reply;
}

function message<Reply>() {
  return <Request extends z.ZodType>(
    from: Message<Request, Reply>['from'],
    request: Request,
  ): Message<Request, Reply> => ({
    from,
    request,
    reply: (reply) => reply,
  });
}

const nothing = z.object({});
const captureId = z.object({ id: z.string() });

/** Outcome of something the person asked for: `sentence` says what happened or what is wrong and what to do. */
export interface Outcome {
  ok: boolean;
  sentence: string;
}

export const messages = {
  /** State for the popup about one tab; without a tab id about the active tab of the last focused window. */
  getPopupState: message<PopupState>()('extension', z.object({ tabId: z.number().int().optional() })),
  getOptionsState: message<OptionsState>()('extension', nothing),
  getOutboxState: message<OutboxState>()('extension', nothing),

  /**
   * Keeps the page in a tab. Joins a running capture of the same tab and document, and returns its id. With
   * `unlessKept` (the popup's opening) a document that was already captured is not captured again.
   */
  keepTab: message<Outcome & { captureId: string | null }>()(
    'extension',
    z.object({ tabId: z.number().int(), unlessKept: z.boolean().default(false) }),
  ),
  /** Stops the taking of witnesses; what is complete is kept. */
  cancelCapture: message<Outcome>()('extension', captureId),
  /** Throws the browser's bytes away; the companion is told that the missing witnesses will not come. */
  discardCapture: message<Outcome>()('extension', captureId),
  /** Sends a capture that was deleted on the companion once more, as a new snapshot. */
  sendAsNew: message<Outcome>()('extension', captureId),
  /** Asks the outbox to try now, whatever its waiting time. */
  retryOutbox: message<Outcome>()('extension', nothing),
  editCapture: message<Outcome>()(
    'extension',
    z.object({
      id: z.string(),
      title: z.string().max(512).optional(),
      tags: z.array(z.string().max(100)).max(100).optional(),
      note: z.string().max(100_000).optional(),
    }),
  ),

  /** Exchanges the code the companion shows for a pairing. */
  pair: message<Outcome & { fingerprint: string }>()('extension', z.object({ code: z.string().max(40) })),
  unpair: message<Outcome>()('extension', nothing),
  setCompanionAddress: message<Outcome>()('extension', z.object({ address: z.string().max(200) })),
  /** Says hello again and tells the result. */
  checkConnection: message<Outcome>()('extension', nothing),
  /** Opens the library, or the kept copy of one capture, in a tab. */
  openLibrary: message<Outcome>()('extension', z.object({ captureId: z.string().optional() })),

  /** One slice of a witness's bytes, base64 of at most 4 MiB, in order; `job` was handed to the script. */
  takeSlice: message<{ ok: boolean }>()(
    'capture',
    z.object({ job: z.string(), index: z.number().int().nonnegative(), base64: z.string() }),
  ),
  /** Fetches a page's resource for a capture script that could not fetch it itself. */
  fetchResource: message<FetchedResource>()(
    'capture',
    z.object({ job: z.string(), url: z.string(), referrer: z.string().optional() }),
  ),
} as const;

export interface FetchedResource {
  status: number;
  headers: Record<string, string>;
  /** Base64; empty when the fetch failed. */
  body: string;
  /** Why it failed; empty when it did not. */
  error: string;
}

export type MessageName = keyof typeof messages;
export type RequestOf<Name extends MessageName> = z.input<(typeof messages)[Name]['request']>;
export type ParsedRequestOf<Name extends MessageName> = z.output<(typeof messages)[Name]['request']>;
export type ReplyOf<Name extends MessageName> = ReturnType<(typeof messages)[Name]['reply']>;

/** What travels: the name and its request. */
export const envelopeSchema = z.object({ holdfast: z.string(), request: z.unknown() });
