import type { ArchiveResultRecord } from '../../../../shared/model/api-records.ts';
import { witnessFiles, witnessPlugins } from '../../../../shared/model/states.ts';
import { countPhrase } from '../../../../shared/words/amounts.ts';
import { requestText } from '../api/request.ts';
import { useLoad } from '../api/use-load.ts';
import { missingSentences } from './missing.ts';

const factsBytesMax = 1_000_000;

/** What the browser could not keep of the page, in its words. */
export function MissingList({ results }: { results: ArchiveResultRecord[] }) {
  const file = results.find((result) => result.plugin === witnessPlugins.facts)?.output_files[witnessFiles.facts];
  const address = file?.url;
  const { value: sentences } = useLoad(`facts ${address ?? ''} ${file?.digest ?? ''}`, async (signal) => {
    if (address === undefined) return [];
    return missingSentences(parseJson(await requestText(address, { bytesMax: factsBytesMax, signal })));
  });
  if (!sentences || sentences.length === 0) return null;
  return (
    <details class="missing">
      <summary>{countPhrase(sentences.length, 'thing')} could not be kept</summary>
      <ul>
        {sentences.map((sentence) => (
          <li key={sentence} dir="auto">
            {sentence}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Facts another program wrote may be no JSON; then there is nothing to tell. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
