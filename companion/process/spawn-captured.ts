import { execa } from 'execa';
import { LineSplitter, StreamTail } from './captured-stream.ts';

export interface SpawnOptions {
  /** Program and arguments; never a shell line. */
  command: readonly [string, ...string[]];
  /** The whole environment: nothing of ours is inherited. */
  env: Readonly<Record<string, string>>;
  cwd: string;
  /** Runs as another user; only root can. */
  user?: { uid: number; gid: number };
  /** Pipes on descriptors 3 and 4 that close when we die in any way: Chromium ends itself then. */
  isTiedToUs?: boolean;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Why it never ran. */
  spawnError?: NodeJS.ErrnoException;
}

export interface CapturedChild {
  pid: number | undefined;
  stdout: StreamTail;
  stderr: StreamTail;
  /** When the leader is gone. Its streams may go on, held by members of its group. */
  exited: Promise<Exit>;
  /** Waits for the ends of both streams, and cuts them off after `withinMs`. */
  endStreams(withinMs: number): Promise<void>;
}

/** Spawns a group leader and reads both streams to their ends, keeping `streamBytesMax` of each. */
export function spawnCaptured(
  options: SpawnOptions,
  streamBytesMax: number,
  onLine: { stdout: (line: string) => void; stderr: (line: string) => void },
): CapturedChild {
  const [file, ...args] = options.command;
  const child = execa(file, args, {
    cwd: options.cwd,
    env: options.env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    reject: false,
    buffer: false,
    stdio: ['ignore', 'pipe', 'pipe', ...(options.isTiedToUs ? (['pipe', 'pipe'] as const) : [])],
    ...options.user,
  });
  const stdout = new StreamTail(streamBytesMax);
  const stderr = new StreamTail(streamBytesMax);
  const lines = new LineSplitter(streamBytesMax, onLine.stdout);
  const errorLines = new LineSplitter(streamBytesMax, onLine.stderr);
  child.stdout.on('data', (chunk: Buffer) => {
    stdout.push(chunk);
    lines.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr.push(chunk);
    errorLines.push(chunk);
  });

  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', (spawnError) => resolve({ code: null, signal: null, spawnError }));
  });
  const closed = Promise.all([child.stdout, child.stderr].map((stream) => streamClosed(stream)));
  const endStreams = async (withinMs: number): Promise<void> => {
    const timer = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, withinMs);
    await closed;
    clearTimeout(timer);
    lines.end();
    errorLines.end();
  };
  return { pid: child.pid, stdout, stderr, exited, endStreams };
}

function streamClosed(stream: NodeJS.ReadableStream & { closed?: boolean }): Promise<void> {
  return new Promise((resolve) => {
    if (stream.closed) resolve();
    else stream.once('close', () => resolve());
  });
}
