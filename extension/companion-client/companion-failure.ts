import type { ErrorCode } from '../../shared/errors/holdfast-error.ts';

/**
 * Why the companion could not be used, as one of a few kinds that each mean something else to the person.
 * - `not_running`, `stranger`, `other_version`, `unpaired`, `revoked`: about the connection
 * - `disk_full`, `deleted`, `refused`: the companion said no to this page
 * - `gap`, `content_differs`, `digest_mismatch`: about one upload; the sender goes on at another place
 * - `busy`: try again later
 */
export type FailureKind =
  | 'not_running'
  | 'stranger'
  | 'other_version'
  | 'unpaired'
  | 'revoked'
  | 'wrong_code'
  | 'disk_full'
  | 'deleted'
  | 'refused'
  | 'gap'
  | 'content_differs'
  | 'digest_mismatch'
  | 'busy';

export class CompanionFailure extends Error {
  readonly kind: FailureKind;
  /** What the companion wants us to wait, milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Facts of the answer, for example `received`. */
  readonly details: Readonly<Record<string, unknown>>;

  /** @param sentence what is wrong, why, what to do, and that nothing is lost */
  constructor(
    kind: FailureKind,
    sentence: string,
    options: { retryAfterMs?: number; details?: Record<string, unknown>; cause?: unknown } = {},
  ) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.details = options.details ?? {};
  }
}

const SAFE = 'What you kept is safe in this browser';

export const sentences = {
  notRunning: (address: string) =>
    `Holdfast is not running on this computer (nothing answers at ${address}). ${SAFE} and will be sent when it starts.`,
  stranger: (address: string) =>
    `Another program answers at ${address}, not the Holdfast you paired with. Nothing was sent to it. ${SAFE}; start Holdfast on that port or set its address in the settings.`,
  otherVersion: (theirs: string, ours: string) =>
    `This Holdfast companion (version ${theirs}) does not speak the language of this extension (${ours}). Update the older of the two. ${SAFE}.`,
  revoked: `Holdfast no longer accepts this browser: its pairing was taken back. Pair again with a new code. ${SAFE} and will be sent then.`,
  unpaired: `This browser is not paired with Holdfast yet. Type the code that Holdfast shows. ${SAFE}.`,
  diskFull: `The disk of Holdfast is full. Free some space. ${SAFE} and will be sent then.`,
  deleted:
    'This page was deleted in your library while it was being sent. Its copy is still here: keep it again, or discard it.',
  busy: `Holdfast is busy. ${SAFE} and will be sent in a moment.`,
} as const;

/** Codes of the companion's answers that mean something particular; others are judged by their status. */
const kindByCode: Partial<Record<ErrorCode, FailureKind>> = {
  unauthenticated: 'revoked',
  revoked: 'revoked',
  wrong_code: 'wrong_code',
  code_expired: 'wrong_code',
  too_many_attempts: 'wrong_code',
  deleted: 'deleted',
  gap: 'gap',
  content_differs: 'content_differs',
  digest_mismatch: 'digest_mismatch',
  disk_full: 'disk_full',
  busy: 'busy',
  version_mismatch: 'other_version',
};

export interface Refusal {
  status: number;
  code: string;
  detail: string;
  details?: Record<string, unknown>;
  retryAfter: string | null;
}

/** Judges an error answer of a companion that has proved itself. */
export function failureFromRefusal(refusal: Refusal, nowMs: number): CompanionFailure {
  const kind = kindByCode[refusal.code as ErrorCode] ?? kindByStatus(refusal.status);
  return new CompanionFailure(kind, sentenceFor(kind, refusal.detail), {
    retryAfterMs: parseRetryAfter(refusal.retryAfter, nowMs),
    details: refusal.details,
  });
}

function kindByStatus(status: number): FailureKind {
  if (status === 401) return 'revoked';
  if (status === 410) return 'deleted';
  if (status === 507) return 'disk_full';
  if (status === 408 || status === 425 || status === 429 || status >= 500) return 'busy';
  return 'refused';
}

function sentenceFor(kind: FailureKind, detail: string): string {
  if (kind === 'revoked') return sentences.revoked;
  if (kind === 'deleted') return sentences.deleted;
  if (kind === 'disk_full') return sentences.diskFull;
  if (kind === 'busy') return sentences.busy;
  if (kind === 'refused') return `Holdfast refused this page: ${detail} Its copy is still in this browser.`;
  return detail;
}

/** `Retry-After` in seconds or as a date; undefined when it says nothing usable. Milliseconds. */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
