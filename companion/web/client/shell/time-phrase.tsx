import { datePhrase, exactTime } from '../../../../shared/words/dates.ts';

/** A time as people say it; the exact one on hover and for programs. */
export function TimePhrase({ iso }: { iso: string }) {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return null;
  return (
    <time dateTime={iso} title={exactTime(ms)}>
      {datePhrase(ms, Date.now())}
    </time>
  );
}
