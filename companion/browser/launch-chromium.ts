import { mkdir } from 'node:fs/promises';
import { HoldfastError } from '../../shared/errors/holdfast-error.ts';
import { limits } from '../../shared/limits.ts';
import { type RunningProcess, startProcess } from '../process/run-process.ts';
import { endEarlierBrowser, writeBrowserRecord } from './browser-record.ts';
import { chromiumArguments, type ChromiumSetup } from './chromium-arguments.ts';

export interface Chromium {
  /** `ws://127.0.0.1:<port>/devtools/browser/<id>` */
  cdpUrl: string;
  controlPort: number;
  /** Resolves when it is gone, for whatever reason. */
  gone: Promise<void>;
  close(): Promise<void>;
}

export interface LaunchOptions extends ChromiumSetup {
  program: string;
  /** PATH for the launcher script that distributions put in front of the browser. */
  path: string;
  onEarlierEnded: () => void;
}

const startTimeoutMs = 30_000;
const announcement = /DevTools listening on (ws:\/\/127\.0\.0\.1:(\d+)\/\S+)/;

/** Starts a headless Chromium on a profile of its own. Throws `internal` with the browser's last words if it fails. */
export async function launchChromium(options: LaunchOptions, signal: AbortSignal): Promise<Chromium> {
  const { profileDir } = options;
  await mkdir(profileDir, { recursive: true });
  if (await endEarlierBrowser(profileDir, limits.killGraceMs)) options.onEarlierEnded();
  signal.throwIfAborted();

  let announce: (match: RegExpExecArray) => void = () => undefined;
  const announced = new Promise<RegExpExecArray>((resolve) => (announce = resolve));
  const running = startProcess(
    {
      command: [options.program, ...chromiumArguments(options)],
      env: { PATH: options.path, HOME: profileDir, LANG: 'C.UTF-8' },
      cwd: profileDir,
      isTiedToUs: true,
      onStderrLine(line) {
        const match = announcement.exec(line);
        if (match) announce(match);
      },
    },
    signal,
  );
  const match = await firstOf(announced, running);
  if (running.pid !== undefined && running.startedAt !== undefined) {
    await writeBrowserRecord(profileDir, running.pid, running.startedAt);
  }
  return {
    cdpUrl: match[1] ?? '',
    controlPort: Number(match[2]),
    gone: running.result.then(() => undefined),
    close: async () => void (await running.end()),
  };
}

async function firstOf(announced: Promise<RegExpExecArray>, running: RunningProcess): Promise<RegExpExecArray> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), startTimeoutMs)));
  const match = await Promise.race([announced, running.result.then(() => undefined), tooLate]);
  clearTimeout(timer);
  if (match) return match;
  const { message, stderr } = await running.end();
  const lastWords = stderr.trim().split('\n').slice(-3).join(' ');
  throw new HoldfastError(
    'internal',
    `Chromium did not start: ${message ?? 'it did not answer in time'}. ${lastWords}`,
  );
}
