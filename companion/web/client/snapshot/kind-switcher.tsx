import type { OutputKind, ReplayOutput } from '../api/snapshots.ts';
import { choiceLabel, kindLabels, kindOrder, outputKey, readerKind } from './outputs.ts';

interface Props {
  outputs: ReplayOutput[];
  shown: ReplayOutput | undefined;
  onChoose: (output: ReplayOutput) => void;
}

/** Which form of the page is shown; a second choice where a form exists more than once. */
export function KindSwitcher({ outputs, shown, onChoose }: Props) {
  const kinds = kindOrder.filter((kind) => outputs.some((output) => readerKind(output) === kind));
  const ofKind = (kind: OutputKind) => outputs.filter((output) => readerKind(output) === kind);
  const shownKind = shown && readerKind(shown);
  const siblings = shownKind ? ofKind(shownKind) : [];
  return (
    <div class="kinds">
      <div class="segmented" role="group" aria-label="Show the kept copy as">
        {kinds.map((kind) => (
          <button
            key={kind}
            type="button"
            aria-pressed={shownKind === kind}
            onClick={() => {
              const first = ofKind(kind)[0];
              if (first && shownKind !== kind) onChoose(first);
            }}
          >
            {kindLabels[kind]}
          </button>
        ))}
      </div>
      {shown && shownKind && siblings.length > 1 ? (
        <select
          class="field"
          aria-label={`Which ${kindLabels[shownKind].toLowerCase()}`}
          value={outputKey(shown)}
          onChange={(event) => {
            const chosen = siblings.find((output) => outputKey(output) === event.currentTarget.value);
            if (chosen) onChoose(chosen);
          }}
        >
          {siblings.map((output) => (
            <option key={outputKey(output)} value={outputKey(output)}>
              {choiceLabel(output, siblings)}
            </option>
          ))}
        </select>
      ) : null}
    </div>
  );
}
