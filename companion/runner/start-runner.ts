import type { Collection } from '../collection/open-collection.ts';
import { isWorkInProgress, nextDueWork, type WorkScope } from '../collection/records/due-work.ts';
import type { ProcessRow } from '../collection/records/tables.ts';
import { holdfastVersion } from '../config/version.ts';
import { Runner } from './runner.ts';
import type { RunnerContext } from './runner-context.ts';
import { findLivingRunner, RunnerSeat, strangersSentence } from './runner-seat.ts';

export interface WorkOptions {
  collection: Collection;
  /** Called once, when this process becomes the active runner. */
  createContext: () => Promise<RunnerContext>;
  scope: WorkScope;
  /** True: works or stands by until the signal. */
  daemon: boolean;
  /** Ends a healthy runner of the same version first. */
  takeOver: boolean;
  /** Most fetching snapshots at one time, asked anew for each. */
  concurrencyMax: () => number;
  /** More than "nothing of the scope is due" where somebody waits for a certain end. */
  isDone?: () => boolean;
  /** Sentences, each said once: who else does the work, that this process goes on, who cannot be judged from here. */
  onStandBy?: (sentence: string) => void;
}

const standByLookMs = 2_000;

/**
 * Sees to it that the due work of a scope is done: by this process when no healthy runner is active, otherwise by the
 * active one while this one watches. Resolves when nothing of the scope is due or in progress, or at the signal.
 */
export async function workUntilDone(options: WorkOptions, signal: AbortSignal): Promise<void> {
  let saidOf: string | undefined;
  const strangers = strangersSentence(options.collection);
  if (strangers !== undefined) options.onStandBy?.(strangers);
  let takeOver = options.takeOver;
  while (!signal.aborted) {
    const holder = await workAsActive(options, takeOver, signal);
    takeOver = false;
    if (holder === undefined) {
      if (!options.daemon || signal.aborted) return;
      continue; // A newer runner retired this one: stand by until it is gone.
    }
    if (saidOf !== holder.id)
      options.onStandBy?.(`Process ${holder.pid} is working on this collection already; watching it.`);
    saidOf = holder.id;
    options.collection.bell.ring();
    if (await watchOther(options, signal)) return;
    options.onStandBy?.(`Process ${holder.pid} is gone; the work goes on here.`);
  }
}

/** Undefined when this process was the active runner and its work has ended; else who is. */
async function workAsActive(
  options: WorkOptions,
  takeOver: boolean,
  signal: AbortSignal,
): Promise<ProcessRow | undefined> {
  const living = takeOver ? undefined : findLivingRunner(options.collection);
  if (living?.version === holdfastVersion) return living;
  const seat = await RunnerSeat.register(options.collection);
  try {
    const answer = await seat.take(takeOver);
    if (!answer.taken) return answer.by;
    const context = await options.createContext();
    try {
      const { scope, daemon, concurrencyMax } = options;
      await new Runner(context, seat, { scope, daemon, concurrencyMax }).run(signal);
    } finally {
      await context.services.close();
    }
    return undefined;
  } finally {
    await seat.leave();
  }
}

/** True when the work is done, false when the other runner is gone and the work is this process's again. */
async function watchOther(options: WorkOptions, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (!options.daemon && isScopeDone(options)) return true;
    if (findLivingRunner(options.collection) === undefined) return false;
    await options.collection.bell.next(standByLookMs, signal);
  }
  return true;
}

function isScopeDone(options: WorkOptions): boolean {
  if (options.isDone) return options.isDone();
  const { db } = options.collection;
  const due = nextDueWork(db, {
    scope: options.scope,
    now: Date.now(),
    slotFree: true,
    fetchSlotFree: true,
    crawlSlotFree: true,
    sealedFirst: false,
    fullCrawls: [],
  });
  return due === undefined && !isWorkInProgress(db, options.scope);
}
