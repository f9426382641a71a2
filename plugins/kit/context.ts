/** What a hook's `main` is given. A hook touches nothing else of its process, so that it can share one. */
export interface HookContext {
  /** Arguments after the program: exactly `--url=<url>`. */
  argv: readonly string[];
  env: Readonly<Record<string, string | undefined>>;
  /** `SNAP_DIR/<plugin>/`, empty at the start. */
  cwd: string;
  stdout: TextSink;
  stderr: TextSink;
  /** Aborted when the runner asks for the end: daemons finish their work then, others give up. */
  signal: AbortSignal;
}

export interface TextSink {
  write(text: string): unknown;
}

/** Runs a hook and answers its exit code. Never rejects. */
export type HookMain = (context: HookContext) => Promise<number>;

export type Outcome =
  | { status: 'succeeded' | 'noresults' | 'skipped'; text: string; json?: Record<string, unknown> }
  | { status: 'failed'; text: string };

/** Output produced; the text names the main file or says it in short. */
export function succeeded(text: string, json?: Record<string, unknown>): Outcome {
  return json === undefined ? { status: 'succeeded', text } : { status: 'succeeded', text, json };
}

/** It ran and found nothing worth keeping; the text says what was missing. */
export function noResults(text: string): Outcome {
  return { status: 'noresults', text };
}

/** A failure with a sentence for the user. Anything else that is thrown is a defect and shows its stack on stderr. */
export class HookFailure extends Error {
  override name = 'HookFailure';
}
