import { access, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ArchiveResultLine, HookLine } from '../../shared/plugin-contract/records.ts';
import { hookEnvironment } from '../../shared/plugin-contract/environment.ts';
import { type HookContext, HookFailure, type HookMain, type Outcome } from './context.ts';
import { writeAtomically } from './write-atomically.ts';

/** What the author of a hook works with. */
export interface Hook {
  readonly url: string;
  readonly env: HookContext['env'];
  readonly cwd: string;
  readonly snapDir: string;
  readonly signal: AbortSignal;
  /** The user's own browser delivered the page; its copy is what outputs should show. */
  readonly isFromBrowser: boolean;
  /** A key of the configuration, or the fallback when it is empty. */
  text(key: string, fallback?: string): string;
  /** Throws a HookFailure when the key holds no number. */
  number(key: string, fallback: number): number;
  /** Path of a sibling plugin's output, or undefined when it is not there. */
  findSibling(plugin: string, file: string): Promise<string | undefined>;
  /** Writes a file of this hook's folder as a whole or not at all, replacing an older one. */
  write(file: string, data: string | Uint8Array): Promise<void>;
  /** Prints a record before the final one. */
  emit(record: Exclude<HookLine, ArchiveResultLine>): void;
  /** Tells the runner that a background hook is ready, so that the next hooks may start. */
  ready(): void;
  /** A line for people who look for causes. */
  log(line: string): void;
}

/**
 * Makes the `main` of a hook: reads the context, runs the work, prints the one ArchiveResult record, answers the exit
 * code. A thrown HookFailure becomes `failed` with its sentence and code 1; anything else too, with a stack on stderr.
 */
export function defineHook(work: (hook: Hook) => Promise<Outcome>): HookMain {
  return async (context) => {
    const url = context.argv.find((argument) => argument.startsWith('--url='))?.slice('--url='.length);
    if (!url || !URL.canParse(url)) {
      context.stderr.write('usage: --url=<address>; the address is missing or is none\n');
      return 2;
    }
    const outcome = await settle(context, () => work(createHook(context, url)));
    const record = {
      type: 'ArchiveResult',
      status: outcome.status,
      output_str: outcome.text,
      ...('json' in outcome && outcome.json ? { output_json: outcome.json } : {}),
      ...extraContext(context),
    };
    context.stdout.write(`${JSON.stringify(record)}\n`);
    return outcome.status === 'failed' ? 1 : 0;
  };
}

async function settle(context: HookContext, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    await mkdir(context.cwd, { recursive: true });
    return await work();
  } catch (error) {
    if (error instanceof HookFailure) {
      context.stderr.write(`${error.message}\n`);
      return { status: 'failed', text: error.message };
    }
    const isStopped = context.signal.aborted && error === context.signal.reason;
    if (isStopped) return { status: 'failed', text: 'it was asked to stop before it had finished' };
    context.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    return { status: 'failed', text: error instanceof Error ? error.message : String(error) };
  }
}

/** Fields that the runner wants in every record; text that is no JSON object is left out. */
function extraContext(context: HookContext): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(context.env[hookEnvironment.extraContext] ?? '{}');
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? { ...parsed } : {};
  } catch {
    context.stderr.write(`${hookEnvironment.extraContext} is no JSON and was ignored\n`);
    return {};
  }
}

function createHook(context: HookContext, url: string): Hook {
  const { env, cwd, signal } = context;
  const snapDir = env[hookEnvironment.snapDir] || dirname(cwd);
  const text = (key: string, fallback = ''): string => env[key] || fallback;
  return {
    url,
    env,
    cwd,
    snapDir,
    signal,
    isFromBrowser: env[hookEnvironment.snapshotSource] === 'browser',
    text,
    number(key, fallback) {
      const value = Number(text(key, String(fallback)));
      if (!Number.isFinite(value)) throw new HookFailure(`${key} must be a number but is "${env[key] ?? ''}"`);
      return value;
    },
    async findSibling(plugin, file) {
      const path = join(snapDir, plugin, file);
      try {
        await access(path);
        return path;
      } catch {
        return undefined; // The sibling made no output.
      }
    },
    write: (file, data) => writeAtomically(join(cwd, file), data),
    emit: (record) => void context.stdout.write(`${JSON.stringify({ ...record, ...extraContext(context) })}\n`),
    ready: () => void context.stdout.write('ready\n'),
    log: (line) => void context.stderr.write(`${line}\n`),
  };
}
