import { datePhrase, exactTime } from '../../shared/words/dates.ts';

/** A time as people say it, the exact one on hover. */
export function TimePhrase({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={exactTime(at)}>
      {datePhrase(at, Date.now())}
    </time>
  );
}
