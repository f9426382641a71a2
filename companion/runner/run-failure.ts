import { HoldfastError, isHoldfastError } from '../../shared/errors/holdfast-error.ts';

const shownLength = 300;

/** What a page or crawl says about an internal error: one sentence, kept until the work has succeeded. */
export function troubleText(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  const line = (said.split('\n')[0] ?? '').slice(0, shownLength);
  return isHoldfastError(error) ? line : `It failed inside Holdfast: ${line}.`;
}

/** The one error of a run that ended because of internal errors, with all causes. */
export function runFailure(failures: readonly unknown[]): unknown {
  if (failures.length === 1) return failures[0];
  const causes = [...new Set(failures.map(troubleText))];
  return new HoldfastError(
    'internal',
    `${failures.length} pages or crawls failed inside Holdfast and are tried again later. ${causes.join(' ')}`,
    { cause: new AggregateError(failures) },
  );
}
