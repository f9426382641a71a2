import { limits } from '../../shared/limits.ts';
import { endProcessGroup, signalGroup } from './end-process-group.ts';
import { folderBytes } from './folder-size.ts';
import { processStartTime } from './process-identity.ts';
import { type EndReason, type ProcessLogs, type ProcessResult, writeProcessLogs } from './process-result.ts';
import { type CapturedChild, type Exit, spawnCaptured, type SpawnOptions } from './spawn-captured.ts';

export interface ProcessOptions extends SpawnOptions {
  /** Milliseconds after which the group is ended; left out for a process that lives until it is ended. */
  timeoutMs?: number;
  /** Milliseconds between TERM and KILL. */
  graceMs?: number;
  /** Kept of each stream. Beyond it reading goes on, so that a flood never blocks the process. */
  streamBytesMax?: number;
  /** Called for each whole line of stdout, in order. */
  onStdoutLine?: (line: string) => void;
  onStderrLine?: (line: string) => void;
  /** Ends the group when the files below the folder grow beyond the limit. Looked at once a second and at the end. */
  outputLimit?: { folder: string; bytesMax: number };
  /** Streams and outcome are saved here before the result is given. */
  logs?: ProcessLogs;
}

export interface RunningProcess {
  /** Undefined when it could not be started; `result` says why. */
  pid: number | undefined;
  /** See `processStartTime`. */
  startedAt: string | undefined;
  /** True at the first line of stdout (a background hook is ready then), false if it ends without one. */
  ready: Promise<boolean>;
  result: Promise<ProcessResult>;
  /** Polite end: TERM to the group, KILL after the grace. The reason stays `exited`: it was the owner's wish. */
  end(graceMs?: number): Promise<ProcessResult>;
}

const outputLookMs = 1_000;
/** A stream held open by somebody outside the group is cut off after this. */
const streamEndMs = 2_000;

const liveGroups = new Set<number>();
process.once('exit', () => {
  for (const groupId of liveGroups) signalGroup(groupId, 'SIGKILL');
});

/** Runs a process to its end. Never rejects for what the process does; see `startProcess`. */
export function runProcess(options: ProcessOptions, signal: AbortSignal): Promise<ProcessResult> {
  return startProcess(options, signal).result;
}

/**
 * Starts a process as the leader of its own group. The aborted signal, the deadline and the output limit end the
 * whole group, TERM first; members left behind by a leader that ended are ended too. Failure to start is a result.
 */
export function startProcess(options: ProcessOptions, signal: AbortSignal): RunningProcess {
  if (signal.aborted) return neverStarted();
  const started = { atMs: Date.now(), tick: performance.now() };
  const firstLine = createSettable<boolean>();
  const child = spawnCaptured(options, options.streamBytesMax ?? limits.hookStreamBytesMax, {
    stdout(line) {
      firstLine.settle(true);
      options.onStdoutLine?.(line);
    },
    stderr: (line) => options.onStderrLine?.(line),
  });
  const group = ownGroup(child.pid, options.graceMs ?? limits.killGraceMs);
  const limitsWatch = watchLimits(options, signal, group.end);

  const finish = async (): Promise<ProcessResult> => {
    const exit = await child.exited;
    await limitsWatch.stop();
    await group.settle();
    await child.endStreams(streamEndMs);
    firstLine.settle(false);
    const result = toResult(options, child, exit, group, started);
    if (options.logs) await writeProcessLogs(options.logs, result);
    return result;
  };
  const result = finish();
  return {
    pid: child.pid,
    startedAt: group.startedAt,
    ready: firstLine.promise,
    result,
    end: (graceMs) => {
      group.end('exited', graceMs);
      return result;
    },
  };
}

function neverStarted(): RunningProcess {
  const now = Date.now();
  const result = Promise.resolve<ProcessResult>({
    reason: 'cancelled',
    exitCode: null,
    signal: null,
    pid: null,
    startedAt: null,
    startedAtMs: now,
    endedAtMs: now,
    durationMs: 0,
    stdout: '',
    stderr: '',
    stdoutBytes: 0,
    stderrBytes: 0,
    message: 'it was not started because the work was cancelled',
  });
  return { pid: undefined, startedAt: undefined, ready: Promise.resolve(false), result, end: () => result };
}

interface OwnGroup {
  startedAt: string | undefined;
  /** Why the group was ended; `exited` when nobody ended it. */
  cause: EndReason;
  end(reason: EndReason, graceMs?: number): void;
  /** After the leader's exit: resolves when the last member is gone, ending those that were left behind. */
  settle(): Promise<void>;
}

function ownGroup(pid: number | undefined, defaultGraceMs: number): OwnGroup {
  if (pid !== undefined) liveGroups.add(pid);
  let ending: Promise<boolean> | undefined;
  const group: OwnGroup = {
    startedAt: pid === undefined ? undefined : processStartTime(pid),
    cause: 'exited',
    end(reason, graceMs = defaultGraceMs) {
      if (pid === undefined || ending !== undefined) return;
      group.cause = reason;
      ending = endProcessGroup(pid, graceMs);
    },
    async settle() {
      if (pid === undefined) return;
      await ending;
      await endProcessGroup(pid, defaultGraceMs);
      liveGroups.delete(pid);
    },
  };
  return group;
}

function watchLimits(options: ProcessOptions, signal: AbortSignal, end: (reason: EndReason) => void) {
  const { timeoutMs, outputLimit } = options;
  const onAbort = (): void => end('cancelled');
  signal.addEventListener('abort', onAbort, { once: true });
  const deadline = timeoutMs === undefined ? undefined : setTimeout(() => end('deadline'), timeoutMs);
  const look = async (): Promise<void> => {
    if (outputLimit && (await folderBytes(outputLimit.folder)) > outputLimit.bytesMax) end('output_limit');
  };
  let looking = Promise.resolve();
  const timer = outputLimit && setInterval(() => void (looking = looking.then(look)), outputLookMs);
  return {
    async stop(): Promise<void> {
      signal.removeEventListener('abort', onAbort);
      clearTimeout(deadline);
      clearInterval(timer);
      await looking.then(look);
    },
  };
}

function toResult(
  options: ProcessOptions,
  child: CapturedChild,
  exit: Exit,
  group: OwnGroup,
  started: { atMs: number; tick: number },
): ProcessResult {
  const reason = exit.spawnError === undefined ? group.cause : 'spawn_failed';
  return {
    reason,
    exitCode: exit.code,
    signal: exit.signal,
    pid: child.pid ?? null,
    startedAt: group.startedAt ?? null,
    startedAtMs: started.atMs,
    endedAtMs: Date.now(),
    durationMs: Math.round(performance.now() - started.tick),
    stdout: child.stdout.toText(),
    stderr: child.stderr.toText(),
    stdoutBytes: child.stdout.totalBytes,
    stderrBytes: child.stderr.totalBytes,
    message: explainEnd(options, reason, exit),
  };
}

function explainEnd(options: ProcessOptions, reason: EndReason, exit: Exit): string | null {
  const program = options.command[0];
  switch (reason) {
    case 'spawn_failed':
      return `${program} could not be started: ${explainSpawnError(options, exit.spawnError)}`;
    case 'deadline':
      return `it was ended because it ran longer than ${(options.timeoutMs ?? 0) / 1000} s`;
    case 'cancelled':
      return 'it was ended because the work was cancelled';
    case 'output_limit':
      return `it was ended because it wrote more than ${options.outputLimit?.bytesMax} bytes`;
    case 'exited':
      if (exit.signal !== null) return `it was ended by ${exit.signal}`;
      return exit.code === 0 ? null : `it ended with exit code ${exit.code}`;
  }
}

function explainSpawnError(options: ProcessOptions, error: NodeJS.ErrnoException | undefined): string {
  if (error?.code === 'ENOENT') return `no such program, or no folder ${options.cwd}`;
  if (error?.code === 'EACCES') return 'it is not executable';
  return error?.message ?? 'unknown cause';
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function createSettable<T>(): { promise: Promise<T>; settle: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
}
