import { useMemo } from 'preact/hooks';
import { requestText } from '../api/request.ts';
import { useLoad } from '../api/use-load.ts';
import { diffWords } from '../snapshot/diff-words.ts';

/** The most of each text that is compared. */
const comparedBytesMax = 1_000_000;

/** The words of two copies as one text: what went is struck out, what came is underlined; both are named to listeners. */
export function MarkedText({ older, newer }: { older: string; newer: string }) {
  const texts = useLoad(`compare ${older} ${newer}`, (signal) =>
    Promise.all([older, newer].map((address) => requestText(address, { bytesMax: comparedBytesMax, signal }))),
  );
  const [before, after] = texts.value ?? [];
  const stretches = useMemo(
    () => (before === undefined || after === undefined ? undefined : diffWords(before, after)),
    [before, after],
  );
  if (texts.failure) return <p class="notice danger">{texts.failure.message}</p>;
  if (!stretches) return <p role="status">Comparing.</p>;
  const changed = stretches.filter((stretch) => stretch.kind !== 'same').length;
  return (
    <>
      <p role="status">
        {changed === 0 ? 'The words are the same.' : 'Words that went are struck out, words that came are underlined.'}
      </p>
      <article class="reading-text marked-text" dir="auto">
        {stretches.map(({ kind, text }, index) => {
          const key = `${index} ${kind}`;
          if (kind === 'added') return <ins key={key}>{text}</ins>;
          return kind === 'removed' ? <del key={key}>{text}</del> : text;
        })}
      </article>
    </>
  );
}
