import type { OutputKind, ReplayOutput } from '../api/snapshots.ts';
import { kindLabels, kindOrder, outputKey } from './outputs.ts';

interface Props {
  outputs: ReplayOutput[];
  shown: ReplayOutput | undefined;
  onChoose: (output: ReplayOutput) => void;
}

/** Which form of the page is shown; a second choice where a form exists more than once. */
export function KindSwitcher({ outputs, shown, onChoose }: Props) {
  const kinds = kindOrder.filter((kind) => outputs.some((output) => output.kind === kind));
  const ofKind = (kind: OutputKind) => outputs.filter((output) => output.kind === kind);
  const siblings = shown ? ofKind(shown.kind) : [];
  return (
    <div class="kinds">
      <div class="segmented" role="group" aria-label="Show the kept copy as">
        {kinds.map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={shown?.kind === kind}
            onClick={() => {
              const first = ofKind(kind)[0];
              if (first && shown?.kind !== kind) onChoose(first);
            }}
          >
            {kindLabels[kind]}
          </button>
        ))}
      </div>
      {shown && siblings.length > 1 ? (
        <select
          class="field"
          aria-label={`Which ${kindLabels[shown.kind].toLowerCase()}`}
          value={outputKey(shown)}
          onChange={(event) => {
            const chosen = siblings.find((output) => outputKey(output) === event.currentTarget.value);
            if (chosen) onChoose(chosen);
          }}
        >
          {siblings.map((output) => (
            <option key={outputKey(output)} value={outputKey(output)}>
              {output.label}
            </option>
          ))}
        </select>
      ) : null}
    </div>
  );
}
