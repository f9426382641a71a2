import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import type { LifecycleStatus } from '../../shared/model/states.ts';

/** What may happen to a crawl or a snapshot (DESIGN section 4, "States"). */
export const lifecycleEvents = ['start', 'seal', 'pause', 'resume', 'cancel'] as const;
export type LifecycleEvent = (typeof lifecycleEvents)[number];

export type LifecycleKind = 'crawl' | 'snapshot';

/** When work is wanted after a transition: `lease` while somebody works, `none` for never by itself. */
export type DueAfter = 'now' | 'none' | 'lease';

export interface Transition {
  status: LifecycleStatus;
  due: DueAfter;
}

type Table = Record<LifecycleEvent, Partial<Record<LifecycleStatus, Transition>>>;

/** `started` may start again: a claim takes up the work of a runner that is gone. */
const start: Partial<Record<LifecycleStatus, Transition>> = {
  queued: { status: 'started', due: 'lease' },
  started: { status: 'started', due: 'lease' },
};
const pause: Partial<Record<LifecycleStatus, Transition>> = {
  queued: { status: 'paused', due: 'none' },
  started: { status: 'paused', due: 'none' },
};
const resume: Partial<Record<LifecycleStatus, Transition>> = { paused: { status: 'queued', due: 'now' } };

/** A cancelled crawl is due once more, so that the runner seals what it holds; a cancelled snapshot is done. */
const tables: Record<LifecycleKind, Table> = {
  crawl: {
    start,
    seal: { started: { status: 'sealed', due: 'none' } },
    pause,
    resume,
    cancel: cancelTo({ status: 'sealed', due: 'now' }),
  },
  snapshot: {
    start,
    seal: { started: { status: 'sealed', due: 'none' } },
    pause,
    resume,
    cancel: cancelTo({ status: 'sealed', due: 'none' }),
  },
};

function cancelTo(transition: Transition): Partial<Record<LifecycleStatus, Transition>> {
  return { queued: transition, started: transition, paused: transition };
}

/** The one answer to "what does this event do in this state". Throws `illegal_transition` naming both. */
export function transition(kind: LifecycleKind, status: LifecycleStatus, event: LifecycleEvent): Transition {
  const next = tables[kind][event][status];
  if (next) return next;
  const allowed = statesAllowing(kind, event).join(' or ');
  throw new HoldfastError(
    'illegal_transition',
    `A ${status} ${kind} cannot be ${pastWords[event]}; only a ${allowed} one can.`,
    { details: { kind, status, event } },
  );
}

/** The states in which an event is legal; claims and requests name them in their conditional updates. */
export function statesAllowing(kind: LifecycleKind, event: LifecycleEvent): LifecycleStatus[] {
  return Object.keys(tables[kind][event]) as LifecycleStatus[];
}

/** The moment in milliseconds, or null, that a transition puts into `due_at`. */
export function dueAfter(due: DueAfter, now: number, leaseMs: number): number | null {
  if (due === 'none') return null;
  return due === 'now' ? now : now + leaseMs;
}

const pastWords: Record<LifecycleEvent, string> = {
  start: 'started',
  seal: 'sealed',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
};
